import assert from 'node:assert/strict'
import type { AuditRow, RowFilter } from 'oidc-provider-impersonation-console'
import { storable } from 'oidc-provider-impersonation-verify/chain'
import {
  ALL_OUTCOMES,
  type AuditEntry,
  isAlarmOpen,
  outcomeOf,
} from 'oidc-provider-impersonation-verify/format'
import type { AuditCase } from './audit-case.ts'
import {
  act,
  ended,
  found,
  idOf,
  issued,
  type put,
  refused,
  replayed,
  rowOf,
  started,
  T,
  writer,
} from './support.ts'

const QUESTIONS = 300

/** All filters together, against a model of them. */
export const filterCases: readonly AuditCase[] = [
  {
    title: 'finds by any filters together what all of them mean, in pages of any size',
    async run({ store }) {
      const rows = await fill(store)
      const draw = numbers()
      for (let asked = 0; asked < QUESTIONS; asked += 1) {
        const { filter, ...page } = questionOf(draw)
        const { limit, now, oldestFirst } = page
        const told = JSON.stringify({ filter, ...page })
        const matching = rows.filter((row) => means(filter, row, now))
        const expected = oldestFirst ? matching.toReversed() : matching
        assert.deepEqual(await found(store, filter, page), expected, told)
        const than = rows[limit] ?? assert.fail()
        const newer = rows.slice(0, limit).filter((row) => means(filter, row, now)).length
        assert.equal((await store.countNewer(filter, than, now)).count, newer, told)
      }
    },
  },
]

const pick = <V>(list: readonly V[], number: number) => list[number % list.length]

const CUSTOMERS = ['alice', 'bob', 'Alice', 'ali', 'a%', 'a\0']
const OPERATORS = ['olivia', 'oscar', 'Olivia', 'oli_ia', '']
const TICKETS = ['SUP-1', 'sup-1', 'SUP-12', 'SUP_1', 'sup -１', 'Straße %', 'ÄRGER\0', undefined]
const CAUSES = [
  ...(['requested', 'user', 'policy', 'replay', 'operator_signed_out'] as const),
  ...[undefined, undefined, undefined],
]
const ROWS = 60
/** Between the times of two rows. A start can be used for six of them. */
const STEP_MS = 10_000

/** Stores rows of every kind, from several writers. Returns them as they have to be, newest first. */
async function fill(store: Parameters<typeof put>[0]): Promise<AuditRow[]> {
  const writers = [writer(store), writer(store), writer(store)]
  const rows: AuditRow[] = []
  for (let index = 0; index < ROWS; index += 1) {
    const [name, time] = [`row ${index}`, T + (index % 7) * STEP_MS]
    const who = {
      userId: pick(CUSTOMERS, index) ?? '',
      mayAct: { sub: pick(OPERATORS, index >> 1) ?? '' },
      actor: { sub: pick(OPERATORS, index >> 1) ?? '' },
      context: { ticketId: pick(TICKETS, index >> 2), reason: `Reason ${index}` },
    }
    const entries: AuditEntry[] = [issued(name, time, who)]
    if (index % 4 !== 0) entries.push(started(name, time + 10, who))
    // Another process stores it later.
    if (index % 7 === 3) entries.reverse()
    if (index % 5 === 1) entries.push(replayed(name, time + 20, { userId: who.userId }))
    if (index % 5 === 2) entries.push(act('objected', name, time + 20))
    if (index % 3 === 1) entries.push(act('acknowledged', name, time + 30, { alarms: 1 }))
    if (index % 6 === 1) entries.push(act('held', name, time + 40))
    if (index % 12 === 1) entries.push(act('released', name, time + 50))
    const cause = pick(CAUSES, index >> 2)
    if (cause) entries.push(ended(name, time + 60, { ...who, end: { at: 1, cause } }))
    if (index % 11 === 0) entries.splice(0, Infinity, { ...refused(time, who), id: idOf(name) })
    for (const [place, entry] of entries.entries()) {
      await writers[(index + place) % writers.length]?.write(entry)
    }
    rows.push(rowOf(name, ...entries) ?? assert.fail())
  }
  return rows.sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
}

interface Question {
  readonly filter: RowFilter
  readonly limit: number
  readonly now: number
  readonly oldestFirst: true | undefined
}

/** Numbers that look random, from 0 to below the limit: the same ones each time. */
function numbers(): (limit: number) => number {
  let state = 1
  return (limit) => {
    // The generator of Numerical Recipes. Its high bits are the good ones.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
}

function questionOf(draw: (limit: number) => number): Question {
  /** All members at once would find nothing. */
  const seldom = <V>(of: () => V) => (draw(6) === 0 ? of() : undefined)
  const one = <V>(...list: readonly V[]) => seldom(() => pick(list, draw(list.length)))
  const moment = () => T + draw(8) * STEP_MS + draw(3) - 1
  return {
    limit: 1 + draw(ROWS - 1),
    // A request is over after six steps, and a start after sixty.
    now: T + (draw(7) + (draw(2) ? 60 : 6)) * STEP_MS - draw(2),
    oldestFirst: seldom(() => true),
    filter: {
      from: seldom(moment),
      to: seldom(moment),
      operator: one(...OPERATORS, 'nobody'),
      customer: one(...CUSTOMERS, "' OR 1=1 --\0"),
      ticket: one('SUP-1', 'Sup_1', 'SUP', 'STRAßE %', 'ärger\0'),
      outcome: draw(2) ? pick(ALL_OUTCOMES, draw(ALL_OUTCOMES.length)) : undefined,
      text: one('ALIC', 'o', '1 reason', 'sup-2', 'x%', 'bob ol'),
      alarm: one('any', 'objection', 'open'),
      held: one(true),
    },
  }
}

const keyOf = (ticket = '') => storable(ticket).normalize('NFKC').toLowerCase().replaceAll(' ', '')

/** The contract of a filter, in other words than those of the stores. */
function means(filter: RowFilter, row: AuditRow, now: number) {
  const { customer, operator, id, jti, ticket, reason, application } = row
  const texts = [customer?.id, operator?.id, id, jti, ticket, reason, application]
  const starts = (word: string) =>
    new RegExp(`(^|[^a-z0-9])${word}`, 'i').test(texts.join(' ').normalize('NFKC'))
  const wrong = [
    filter.from !== undefined && row.at < filter.from,
    filter.to !== undefined && row.at >= filter.to,
    filter.operator !== undefined && row.operator?.id !== storable(filter.operator),
    filter.customer !== undefined && row.customer?.id !== storable(filter.customer),
    filter.ticket !== undefined && keyOf(row.ticket) !== keyOf(filter.ticket),
    filter.outcome !== undefined && outcomeOf(row, now) !== filter.outcome,
    filter.text?.split(/[^a-z0-9]+/i).some((word) => !starts(word)) === true,
    filter.alarm === 'any' && !row.alarm,
    filter.alarm === 'objection' && !row.objection,
    filter.alarm === 'open' && !isAlarmOpen(row),
    filter.held === true && row.hold?.isHeld !== true,
  ]
  return !wrong.includes(true)
}
