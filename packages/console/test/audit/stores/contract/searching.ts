// Over 250 lines with its model: one text search, and all filters together.
import { expect } from 'chai'
import fc from 'fast-check'
import {
  ALL_OUTCOMES,
  type AuditEntry,
  type AuditRow,
  isAlarmOpen,
  openAlarmOf,
  outcomeOf,
} from 'oidc-provider-impersonation-verify/format'
import type { RowFilter } from '../../../../src/audit/store.ts'
import { MAX_ROWS_BY_WORD } from '../../../../src/audit/stores/filter.ts'
import {
  act,
  type ContractCase,
  ended,
  found,
  granted,
  idOf,
  issued,
  namesOf,
  put,
  replayed,
  rowOf,
  T,
  used,
  writer,
} from './support.ts'

const ALICE = { name: 'Alice Adams', email: 'alice@example.com' }
const OLIVIA = { name: 'Ólivia Ørsted', email: 'olivia@support.example' }

export const searching: readonly ContractCase[] = [
  {
    title: 'finds rows that have all words, each from its beginning, and by no other text',
    async run({ store }) {
      await put(
        store,
        granted('a', T, {
          subject: 'cust-77',
          actor: { sub: 'op-88' },
          mayAct: { sub: 'op-88', clientId: 'client-99' },
          client: 'client-99',
          names: { subject: ALICE, actor: OLIVIA },
          context: {
            ticketId: 'SUP-123',
            reason: 'Parcel never CAME',
            supportEngineerId: 'hidden',
          },
          jti: 'impersonation:JtiOfIt',
        }),
        used('a', T + 1, { path: '/secret-path' }),
        issued('b', T + 1, { context: {}, names: { subject: { name: 'Olivia Adams' } } }),
      )
      const id = idOf('a')
      const texts = [
        ...['cust-77', '77 cust', 'OP-8', 'ada ALI', 'ALICE@EX', 'ólIVIA ø', 'olivia orsted'],
        ...['Support.', 'sup-12', 'never came', 'came parcel', 'C', 'jtiof', 'client 99'],
        ...['olivia alice', 'alice olivia', 'olivia, alice', '  alice  ', 'Adams\nalice'],
        ...[id, id.slice(0, 20), id.toUpperCase()],
      ]
      for (const text of texts) {
        expect(await namesOf(store, ['a'], { text, to: T + 1 }), text).to.deep.equal(['a'])
      }
      const others = ['hidden', 'secret', 'SUP-123x', 'adamsalice', 'lice', 'shop', 'backend']
      const unknown = ['orders', 'api.example', 'impersonation.started', 'startedAt', 'alice bob']
      for (const text of [...others, ...unknown, '', ' ', '%', '_', '-', '*', "'", '\0', '\\']) {
        expect(await namesOf(store, ['a', 'b'], { text, to: T + 1 }), text).to.deep.equal([])
      }
      expect(await namesOf(store, ['a', 'b'], { text: 'adams' })).to.deep.equal(['b', 'a'])
      expect(await namesOf(store, ['a', 'b'], { text: 'adams oliv', from: T + 1 })).to.deep.equal([
        'b',
      ])
    },
  },
  {
    title: 'compares letters of all languages alike, composed or not, with accents or without',
    async run({ store }) {
      const reasons = {
        german: 'GRÖSSE der STRASSE',
        composed: 'caf\u00e9',
        decomposed: 'cafe\u0301 au lait',
        greek: 'ΟΔΥΣΣΕΥΣ',
        russian: 'Доставка НЕ пришла',
        chinese: '包裹没有到',
        turkish: 'İstanbul',
        polish: 'Łódź',
        wide: 'ＡＢＣ１２３',
        half: 'cut \ud83e off',
        star: '*?[a-z]{1,2}(x|y)^$.+ "quoted"',
      }
      const names = Object.keys(reasons)
      for (const [index, [name, reason]] of Object.entries(reasons).entries()) {
        await put(store, issued(name, T + index, { context: { reason, ticketId: 'none' } }))
      }
      const expected: Record<string, string[]> = {
        größe: ['german'],
        'straße grosse': ['german'],
        CAFÉ: ['composed', 'decomposed'],
        'cafe\u0301': ['composed', 'decomposed'],
        cafe: ['composed', 'decomposed'],
        'не ПРИШЛА': ['russian'],
        οδυσσευς: ['greek'],
        οδυσσευσ: ['greek'],
        没有: ['chinese'],
        裹有: [],
        istanbul: ['turkish'],
        lodz: ['polish'],
        abc12: ['wide'],
        '\ud83e off': ['half'],
        '"quoted"': ['star'],
        '(x|y)': ['star'],
      }
      for (const [text, wanted] of Object.entries(expected)) {
        const seen = await namesOf(store, names, { text })
        expect(seen.toSorted(), text).to.deep.equal(wanted)
      }
    },
  },
  {
    title: 'finds by words that are in more rows than are read by words, in the order of the list',
    async run({ store }) {
      const rows = MAX_ROWS_BY_WORD + 3
      const reason = (index: number) => (index % 200 === 7 ? 'frequent sometimes' : 'frequent')
      const entries = Array.from({ length: rows }, (_, index) =>
        issued(`row ${index}`, T + index, { context: { reason: reason(index) } }),
      )
      await put(store, ...entries)
      const both = await store.find({ text: 'FREQ some' }, { limit: 9, now: T })
      expect(both.rows.map(({ at }) => at - T)).to.deep.equal([407, 207, 7])
      const { rows: first, next } = await store.find(
        { text: 'frequent alice' },
        { limit: 2, now: T },
      )
      expect(first.map(({ at }) => at - T)).to.deep.equal([rows - 1, rows - 2])
      const second = await store.find({ text: 'frequent' }, { before: next, limit: 1, now: T })
      expect(second.rows[0]?.at).to.equal(T + rows - 3)
    },
  },
  {
    title: 'finds a row by none of its words after it is removed',
    async run({ store }) {
      await put(store, issued('a', T), issued('b', T + 10))
      await store.remove(T + 5, 10)
      expect(await namesOf(store, ['a', 'b'], { text: 'alice lost' })).to.deep.equal(['b'])
      expect(await namesOf(store, ['a', 'b'], { text: idOf('a') })).to.deep.equal([])
    },
  },
  {
    title: 'finds a name that became known later',
    async run({ store }) {
      await put(store, issued('a', T))
      expect(await namesOf(store, ['a'], { text: 'adams' })).to.deep.equal([])
      await put(store, granted('a', T + 1, { names: { subject: ALICE, actor: OLIVIA } }))
      expect(await namesOf(store, ['a'], { text: 'adams' })).to.deep.equal(['a'])
      expect((await store.row(idOf('a')))?.operator).to.deep.equal({ id: 'olivia', ...OLIVIA })
    },
  },
  {
    title: 'finds nothing by very long texts, and does not fail',
    async run({ store }) {
      await put(store, issued('a', T))
      for (const text of [
        'x'.repeat(100_000),
        '%'.repeat(1000),
        '\\'.repeat(999),
        '('.repeat(999),
      ]) {
        for (const filter of [{ text }, { ticket: text }, { operator: text }, { customer: text }]) {
          expect(await found(store, filter)).to.deep.equal([])
        }
      }
    },
  },
  {
    title: 'finds by any filters together what all of them mean, in pages of any size',
    async run({ store }) {
      const rows = await fill(store)
      const compare = async ({ filter, limit, now }: Question) => {
        const expected = rows.filter((row) => means(filter, row, now))
        expect(await found(store, filter, { limit, now })).to.deep.equal(expected)
        const than = rows[limit] ?? expect.fail()
        const newer = rows.slice(0, limit).filter((row) => means(filter, row, now)).length
        expect(await store.countNewer(filter, than, now)).to.equal(newer)
      }
      await fc.assert(fc.asyncProperty(questions, compare), { numRuns: 100 })
    },
  },
]

const SUBJECTS = ['alice', 'bob', 'Alice']
const OPERATORS = ['olivia', 'oscar']
const TICKETS = ['SUP-1', 'sup-1', 'SUP-2']
const ROWS = 40

/** Stores rows of every kind, from several writers. Returns them as they have to be, newest first. */
async function fill(store: Parameters<typeof put>[0]): Promise<AuditRow[]> {
  const writers = [writer(store), writer(store), writer(store)]
  const pick = <V>(list: readonly V[], number: number) => list[number % list.length]
  const rows: AuditRow[] = []
  for (let index = 0; index < ROWS; index += 1) {
    const [name, time] = [`row ${index}`, T + (index % 7) * 10_000]
    const who = {
      subject: pick(SUBJECTS, index) ?? '',
      mayAct: { sub: pick(OPERATORS, index >> 1) ?? '' },
      actor: { sub: pick(OPERATORS, index >> 1) ?? '' },
      context: { ticketId: pick(TICKETS, index >> 2), reason: `Reason ${index}` },
    }
    const entries: AuditEntry[] = [issued(name, time, who)]
    if (index % 4 !== 0) entries.push(granted(name, time + 10, who))
    if (index % 5 === 1) entries.push(replayed(name, time + 20, { subject: who.subject }))
    if (index % 5 === 2) entries.push(act('objected', name, time + 20))
    if (index % 3 === 1) entries.push(act('acknowledged', name, time + 30, { alarms: 1 }))
    if (index % 6 === 1) entries.push(act('held', name, time + 40))
    if (index % 12 === 1) entries.push(act('released', name, time + 50))
    const cause = pick(['requested', 'user', 'policy', undefined, undefined] as const, index)
    if (cause) entries.push(ended(name, time + 60, { ...who, end: { at: 1, cause } }))
    for (const [place, entry] of entries.entries()) {
      await writers[(index + place) % writers.length]?.write(entry)
    }
    rows.push(rowOf(name, ...entries) ?? expect.fail())
  }
  return rows.sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
}

interface Question {
  readonly filter: RowFilter
  readonly limit: number
  readonly now: number
}

/** All members at once would find nothing. */
function seldom<V>(arbitrary: fc.Arbitrary<V>): fc.Arbitrary<V | undefined> {
  return fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
}

const moment = fc.integer({ min: T - 1, max: T + 70_001 })
const questions: fc.Arbitrary<Question> = fc.record({
  limit: fc.integer({ min: 1, max: ROWS - 1 }),
  now: fc.integer({ min: T, max: T + 800_000 }),
  filter: fc.record({
    from: seldom(moment),
    to: seldom(moment),
    operator: seldom(fc.constantFrom(...OPERATORS, 'nobody')),
    customer: seldom(fc.constantFrom(...SUBJECTS, 'nobody')),
    ticket: seldom(fc.constantFrom('SUP-1', 'Sup-2', 'SUP')),
    outcome: seldom(fc.constantFrom(...ALL_OUTCOMES)),
    text: seldom(fc.constantFrom('ALIC', 'o', '1 reason', 'sup-2', 'x%', 'bob ol')),
    alarm: seldom(fc.constantFrom('any' as const, 'open' as const, 'urgent' as const)),
    held: seldom(fc.constant(true as const)),
  }),
})

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
    filter.alarm === 'open' && !isAlarmOpen(row),
    filter.alarm === 'urgent' && openAlarmOf(row) !== 'urgent',
    filter.held === true && row.hold?.isHeld !== true,
  ]
  return !wrong.includes(true)
}
