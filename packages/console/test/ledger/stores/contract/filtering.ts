import assert from 'node:assert/strict'
import type { AuditRow, RowFilter } from 'oidc-provider-impersonation-console'
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
  issued,
  type put,
  replayed,
  rowOf,
  started,
  T,
  writer,
} from './support.ts'

const QUESTIONS = 100

/** All filters together, against a model of them. */
export const filterCases: readonly AuditCase[] = [
  {
    title: 'finds by any filters together what all of them mean, in pages of any size',
    async run({ store }) {
      const rows = await fill(store)
      const draw = numbers()
      for (let asked = 0; asked < QUESTIONS; asked += 1) {
        const { filter, limit, now } = questionOf(draw)
        const told = JSON.stringify({ filter, limit, now })
        const expected = rows.filter((row) => means(filter, row, now))
        assert.deepEqual(await found(store, filter, { limit, now }), expected, told)
        const than = rows[limit] ?? assert.fail()
        const newer = rows.slice(0, limit).filter((row) => means(filter, row, now)).length
        assert.equal((await store.countNewer(filter, than, now)).count, newer, told)
      }
    },
  },
]

const pick = <V>(list: readonly V[], number: number) => list[number % list.length]

const CUSTOMERS = ['alice', 'bob', 'Alice']
const OPERATORS = ['olivia', 'oscar']
const TICKETS = ['SUP-1', 'sup-1', 'SUP-2']
const REVIEWS = [undefined, 'emergency', 'It is night', 'after a refusal by Bo; x']
const ROWS = 40

/** Stores rows of every kind, from several writers. Returns them as they have to be, newest first. */
async function fill(store: Parameters<typeof put>[0]): Promise<AuditRow[]> {
  const writers = [writer(store), writer(store), writer(store)]
  const rows: AuditRow[] = []
  for (let index = 0; index < ROWS; index += 1) {
    const [name, time] = [`row ${index}`, T + (index % 7) * 10_000]
    const who = {
      userId: pick(CUSTOMERS, index) ?? '',
      mayAct: { sub: pick(OPERATORS, index >> 1) ?? '' },
      actor: { sub: pick(OPERATORS, index >> 1) ?? '' },
      context: { ticketId: pick(TICKETS, index >> 2), reason: `Reason ${index}` },
      review: pick(REVIEWS, index >> 1),
    }
    const entries: AuditEntry[] = [issued(name, time, who)]
    if (index % 4 !== 0) entries.push(started(name, time + 10, who))
    if (index % 5 === 1) entries.push(replayed(name, time + 20, { userId: who.userId }))
    if (index % 5 === 2) entries.push(act('objected', name, time + 20))
    if (index % 3 === 1) entries.push(act('acknowledged', name, time + 30, { alarms: 1 }))
    if (index % 6 === 1) entries.push(act('held', name, time + 40))
    if (index % 12 === 1) entries.push(act('released', name, time + 50))
    const cause = pick(['requested', 'user', 'policy', undefined, undefined] as const, index)
    if (cause) entries.push(ended(name, time + 60, { ...who, end: { at: 1, cause } }))
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
  const seldom = <V>(of: () => V) => (draw(5) === 0 ? of() : undefined)
  const one = <V>(...list: readonly V[]) => seldom(() => pick(list, draw(list.length)))
  const moment = () => T - 1 + draw(70_002)
  return {
    limit: 1 + draw(ROWS - 1),
    now: T + draw(800_000),
    filter: {
      from: seldom(moment),
      to: seldom(moment),
      operator: one(...OPERATORS, 'nobody'),
      customer: one(...CUSTOMERS, 'nobody'),
      ticket: one('SUP-1', 'Sup-2', 'SUP'),
      outcome: one(...ALL_OUTCOMES),
      text: one('ALIC', 'o', '1 reason', 'sup-2', 'x%', 'bob ol'),
      alarm: one('any', 'objection', 'open'),
      held: one(true),
      unapproved: one(true),
    },
  }
}

/** What the contract says of a filter, in other words than the stores. */
function means(filter: RowFilter, row: AuditRow, now: number): boolean {
  const { customer, operator, id, jti, ticket, reason, application } = row
  const texts = [customer?.id, operator?.id, id, jti, ticket, reason, application]
  const starts = (word: string) => new RegExp(`(^|[^a-z0-9])${word}`, 'i').test(texts.join(' '))
  const wrong = [
    filter.from !== undefined && row.at < filter.from,
    filter.to !== undefined && row.at >= filter.to,
    filter.operator !== undefined && row.operator?.id !== filter.operator,
    filter.customer !== undefined && row.customer?.id !== filter.customer,
    filter.ticket !== undefined && row.ticket?.toLowerCase() !== filter.ticket.toLowerCase(),
    filter.outcome !== undefined && outcomeOf(row, now) !== filter.outcome,
    filter.text?.split(/[^a-z0-9]+/i).some((word) => !starts(word)) === true,
    filter.alarm === 'any' && !row.alarm,
    filter.alarm === 'objection' && !row.objection,
    filter.alarm === 'open' && !isAlarmOpen(row),
    filter.held === true && row.hold?.isHeld !== true,
    filter.unapproved === true && !/emergency|after a refusal/.test(row.review ?? ''),
  ]
  return !wrong.includes(true)
}
