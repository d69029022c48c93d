import { foundWordsIn, wordsOf } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditRecord,
  isSameTicket,
  KINDS,
  present,
  RECORD_KINDS,
  type RecordStateAt,
  recordStateAt,
  SAID_EVENTS,
} from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { oneOf, type Read } from '../../kernel/input.ts'
import { pages } from '../../kernel/pages.ts'
import { isAudited } from '../../kernel/roles.ts'
import { type CsvValue, csvHead, csvLine, csvTime } from '../../ledger/keeping/csv.ts'
import { allReadable } from '../../ledger/readable.ts'
import { cursor, personId, readQuery, searchWords } from '../../web/http/query.ts'
import { isNaming, namelessFilter, sendExport } from '../../web/http/send-export.ts'
import { zoneOf } from '../../web/pages/reader.ts'
import type { WithQuery } from '../../web/parts.ts'
import type { RecordAnswer } from '../../web/record-answer.ts'
import { type Range, WHEN, withRange } from '../../web/when.ts'
import { hasSaid, type RecordCall, recordFor, shownRecord, withoutNotes } from './shown.ts'

/** The least number of records on a page, if there are as many. */
const PAGE_SIZE = 50
/** The largest number that are looked at for a page. */
const MAX_LOOKED_AT = 1000

/** States as of now. What a person said is found under that, whatever became of it since. */
const NOW: Readonly<Record<string, readonly RecordStateAt[]>> = {
  waiting: ['requested', 'asked'],
  in_force: ['granted', 'stopped'],
  lapsed: ['lapsed'],
}

export const HISTORY_STATES = ['waiting', 'in_force', ...SAID_EVENTS, 'lapsed'] as const

const HISTORY_FILTER = {
  ...WHEN,
  operator: personId,
  customer: personId,
  person: personId,
  kind: v.optional(oneOf(RECORD_KINDS)),
  state: v.optional(oneOf(HISTORY_STATES)),
  ticket: searchWords,
  text: searchWords,
}

export type HistoryAnswer = Awaited<ReturnType<typeof listHistory>>

export const HISTORY = { ...HISTORY_FILTER, before: cursor }

type HistoryFilter = Omit<Read<typeof HISTORY_FILTER>, keyof typeof WHEN> & Range

/**
 * `GET /records?text=&kind=&state=&operator=&customer=&person=&ticket=&from=&to=&before=`: every role. An
 * operator is shown what they asked for, and what they decided; leads and auditors all. Newest first. `person`
 * asked or said what `state` is. There may be a `next` if none of those that were looked at matched.
 * `GET /records/export.csv` with the same filter: lead, auditor. Streamed; one line for each. The export is an
 * entry itself.
 */
export async function listHistory(call: WithQuery<typeof HISTORY, RecordCall>) {
  const { caller, query } = call
  const { before, ...asked } = query
  const filter: HistoryFilter = withRange(asked, zoneOf(call.ctx))
  const { from, to } = filter
  const own = isAudited(caller.role) ? undefined : caller.id
  const { records, next } = await readHistory(call, filter, before, own)
  const shown = await Promise.all(records.map((each) => recordFor(call, each)))
  const when = asked.when === 'any' ? undefined : asked.when
  const given: Readonly<Partial<Record<keyof typeof asked, string>>> = present({ ...asked, when })
  return {
    /** The parameters of the filter, as they were given. */
    asked: given,
    /** The part of time. */
    filter: { from, to },
    records: shown.flatMap((each) => each ?? []),
    /** The value of `before` for the next, older page. */
    next,
  }
}

/** Sends the history as a file. */
export async function exportHistory(call: RecordCall) {
  const filter: HistoryFilter = withRange(
    readQuery(call.ctx.querystring, HISTORY_FILTER),
    zoneOf(call.ctx),
  )
  const found = isNaming(filter) ? (await readHistory(call, filter)).records : []
  const context = {
    format: 'records.csv',
    filter: namelessFilter(filter),
    ...present({ permit: found[0]?.id }),
  }
  await sendExport(call, 'records.csv', context, async function* lines() {
    yield csvHead(Object.keys(recordColumns({})))
    for await (const { records } of pages((before) => readHistory(call, filter, before))) {
      yield records
        .map((each) => csvLine(Object.values(recordColumns(shownRecord(each, call)))))
        .join('')
    }
  })
}

/** @param own the account id of the only person whose records are read */
async function readHistory(
  { audit, now }: RecordCall,
  filter: HistoryFilter,
  first?: string,
  own?: string,
) {
  const { customer, operator, kind, from, to } = filter
  const asked = { customer, operator, kind, from, to }
  const records: AuditRecord[] = []
  let next = first
  for (let looked = 0; looked < MAX_LOOKED_AT && records.length < PAGE_SIZE; looked += PAGE_SIZE) {
    const page = await audit.store.permits(asked, { before: next, limit: PAGE_SIZE })
    const found = allReadable(page.permits)
      .filter((each) => own === undefined || hasSaid(each, own))
      .map((each) => withoutNotes(each, own))
    records.push(...found.filter((each) => matches(each, filter, now())))
    next = page.next
    if (next === undefined) break
  }
  return { records, next }
}

function matches(record: AuditRecord, { person, state, ticket, text }: HistoryFilter, now: number) {
  const states = state && NOW[state]
  const said = record.said.filter(({ event }) => event === state)
  const isSaid = said.some(({ by }) => person === undefined || by?.id === person)
  const isByPerson = person === undefined || hasSaid(record, person)
  const isOfState = !states || states.includes(recordStateAt(record, now))
  return (
    (state && !states ? isSaid : isByPerson && isOfState) &&
    (ticket === undefined || isSameTicket(record.ticket, ticket)) &&
    (text === undefined || hasWords(record, text))
  )
}

function hasWords(record: AuditRecord, text: string) {
  const { id, customer, operator, application, ticket, reason, why, said } = record
  const words = [record, ...said]
  const people = [customer, operator, ...words.map(({ by }) => by)]
  const texts = [
    ...[id, application, ticket, reason, why, ...words.map(({ note }) => note)],
    ...people.flatMap((who) => [who?.id, who?.name, who?.email]),
  ]
  const found = foundWordsIn(texts.join('\n'))
  const asked = wordsOf(text)
  return asked.length > 0 && asked.every((word) => found.some((each) => each.startsWith(word)))
}

/** The words of a record by the need that they decide, if they do. */
const SAID = SAID_EVENTS.flatMap((event) => {
  const { isOfNeed } = KINDS.approval.says[event] ?? {}
  const needs = isOfNeed ? (['second_person', 'user'] as const) : [undefined]
  return needs.map((need) => ({ event, need }))
})

/** One line of the file, by the names of the columns. */
function recordColumns(record: Partial<RecordAnswer>): Record<string, CsvValue> {
  const { id, kind, state, ticket, reason, why, application, resource, scope, duration } = record
  const { requestedAt, lapsesAt, grantedAt, until, unapproved, note, said = [] } = record
  return Object.assign(
    {
      id,
      kind,
      state,
      ...personColumns('operator', record.operator),
      ...personColumns('customer', record.customer),
      ticket,
      reason,
      why,
      application,
      resource,
      scope,
      for: record.for,
      duration,
      requested_at: csvTime(requestedAt),
      lapses_at: csvTime(lapsesAt),
      granted_at: csvTime(grantedAt),
      until: csvTime(until),
      unapproved,
      ...personColumns('by', record.by),
      note,
    },
    ...SAID.map(({ event, need }) => {
      const word = said.find((each) => each.event === event && each.need === need)
      const column = need === 'user' ? `customer_${event}` : event
      return {
        [column]: csvTime(word?.at),
        ...personColumns(`${column}_by`, word?.by),
        [`${column}_note`]: word?.note,
      }
    }),
  )
}

const personColumns = (name: string, person: RecordAnswer['operator']) => ({
  [`${name}_id`]: person?.id,
  [`${name}_name`]: person?.name,
})
