import { foundWordsIn, wordsOf } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditRecord,
  isSameTicket,
  present,
  recordStateAt,
} from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { oneOf, type Read } from '../../../../kernel/input.ts'
import { pages } from '../../../../kernel/pages.ts'
import { isAudited } from '../../../../kernel/roles.ts'
import { csvHead, csvLine } from '../../../../ledger/keeping/csv.ts'
import { allReadable } from '../../../../ledger/readable.ts'
import { orUnavailable } from '../../../../web/http/problem.ts'
import { cursor, personId, readQuery, searchWords } from '../../../../web/http/query.ts'
import { isNaming, namelessFilter, sendExport } from '../../../../web/http/send-export.ts'
import { zoneOf } from '../../../../web/pages/reader.ts'
import type { RecordAnswer } from '../../../../web/record-answer.ts'
import { type Range, WHEN, withRange } from '../../../../web/when.ts'
import { recordColumns } from './fields.ts'
import { hasSaid, type PermitCall, recordFor, shownRecord, withoutNotes } from './shown.ts'

/** How many records a page has at least, if there are as many. */
const PAGE_SIZE = 50
/** How many are looked at for a page. */
const MAX_LOOKED_AT = 1000

export const HISTORY_KINDS = ['approval', 'emergency', 'answer', 'stop', 'erasure'] as const

/** What waits or holds now, what a person said, whatever became of it since, and what lapsed. */
export const HISTORY_STATES = [
  'waiting',
  'in_force',
  'granted',
  'declined',
  'revoked',
  'reviewed',
  'lifted',
  'confirmed',
  'lapsed',
] as const

export type HistoryState = (typeof HISTORY_STATES)[number]

const HISTORY_FILTER = {
  ...WHEN,
  operator: personId,
  customer: personId,
  person: personId,
  kind: v.optional(oneOf(HISTORY_KINDS)),
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
export async function listHistory(call: PermitCall & { readonly query: Read<typeof HISTORY> }) {
  const { caller, query } = call
  const { before, ...asked } = query
  const filter: HistoryFilter = withRange(asked, zoneOf(call.ctx))
  const { from, to } = filter
  const own = isAudited(caller.role) ? undefined : caller.id
  const { records, next } = await readHistory(call, filter, before, own)
  const shown = await Promise.all(records.map((each) => recordFor(call, each)))
  return {
    /** The parameters of the filter, as they were given. */
    asked: Object.fromEntries<string>(
      Object.entries(asked).flatMap(([name, value]) =>
        value === undefined || (name === 'when' && value === 'any') ? [] : [[name, String(value)]],
      ),
    ),
    /** The part of time. */
    filter: { from, to },
    records: shown.flatMap((each) => each ?? []),
    /** The value of `before` for the next, older page. */
    next,
  }
}

/** Sends the history as a file. */
export async function exportHistory(call: PermitCall): Promise<void> {
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
  await sendExport(call, 'records.csv', 'csv', context, async function* lines() {
    yield csvHead(Object.keys(recordColumns({})))
    for await (const { records } of pages((before) => readHistory(call, filter, before))) {
      yield records
        .map((each) => csvLine(Object.values(recordColumns(shownRecord(each, call, [])))))
        .join('')
    }
  })
}

/** @param own the account id of the only person whose records are read */
async function readHistory(
  { audit, now }: PermitCall,
  filter: HistoryFilter,
  first?: string,
  own?: string,
): Promise<{ records: readonly AuditRecord[]; next: string | undefined }> {
  const { customer, operator, kind, from, to } = filter
  const records: AuditRecord[] = []
  let before = first
  for (let looked = 0; looked < MAX_LOOKED_AT && records.length < PAGE_SIZE; looked += PAGE_SIZE) {
    const asked = { customer, operator, kind, from, to }
    const page = await orUnavailable('records cannot be read now', () =>
      audit.store.permits(asked, { before, limit: PAGE_SIZE }),
    )
    records.push(
      ...allReadable(page.permits)
        .map((each) => withoutNotes(each, own))
        .filter(
          (each) => matches(each, filter, now()) && (own === undefined || hasSaid(each, own)),
        ),
    )
    before = page.next
    if (before === undefined) break
  }
  return { records, next: before }
}

function matches(record: AuditRecord, filter: HistoryFilter, now: number): boolean {
  const { person, state, ticket, text } = filter
  return (
    isOfState({ ...record, state: recordStateAt(record, now) }, state, person) &&
    (ticket === undefined || isSameTicket(record.ticket, ticket)) &&
    (text === undefined || hasWords(record, text))
  )
}

const NOW: Readonly<Partial<Record<HistoryState, readonly RecordAnswer['state'][]>>> = {
  waiting: ['requested', 'asked'],
  lapsed: ['lapsed'],
  in_force: ['granted', 'stopped'],
}

/** What a person decided is found under their decision, whatever became of it since. */
function isOfState(
  record: Pick<RecordAnswer, 'by' | 'operator' | 'said' | 'state'>,
  asked: HistoryState | undefined,
  person: string | undefined,
): boolean {
  const { state, said } = record
  const states = asked && NOW[asked]
  if (!asked || states) {
    return states?.includes(state) !== false && (!person || hasSaid(record, person))
  }
  return said.some(({ event, by }) => event === asked && (!person || by?.id === person))
}

function hasWords(record: AuditRecord, text: string): boolean {
  const { id, customer, operator, by, application, ticket, reason, why, note, said } = record
  const people = [customer, operator, by, ...said.map((each) => each.by)]
  const texts = [
    ...[id, application, ticket, reason, why, note, ...said.map((each) => each.note)],
    ...people.flatMap((who) => [who?.id, who?.name, who?.email]),
  ]
  const found = foundWordsIn(texts.filter((each) => each !== undefined).join('\n'))
  const words = wordsOf(text)
  return words.length > 0 && words.every((word) => found.some((each) => each.startsWith(word)))
}
