import assert from 'node:assert/strict'
import type { AuditCase } from './audit-case.ts'
import { found, idOf, issued, many, namesOf, put, removeOld, started, T, used } from './support.ts'

const ALICE = { name: 'Alice Adams', email: 'alice@example.com' }
const OLIVIA = { name: 'Ólivia Ørsted', email: 'olivia@support.example' }

export const searchingCases: readonly AuditCase[] = [
  {
    title: 'finds rows that have all words, each from its beginning, and by no other text',
    async run({ store }) {
      await put(
        store,
        started('a', T, {
          userId: 'cust-77',
          actor: { sub: 'op-88' },
          mayAct: { sub: 'op-88', clientId: 'client-99' },
          client: 'client-99',
          names: { user: ALICE, actor: OLIVIA },
          context: {
            ticketId: 'SUP-123',
            reason: 'Parcel never CAME',
            supportEngineerId: 'hidden',
          },
          jti: 'impersonation:JtiOfIt',
        }),
        used('a', T + 1, { path: '/secret-path' }),
        issued('b', T + 1, { context: {}, names: { user: { name: 'Olivia Adams' } } }),
      )
      const id = idOf('a')
      const texts = [
        ...['cust-77', '77 cust', 'OP-8', 'ada ALI', 'ALICE@EX', 'ólIVIA ø', 'olivia orsted'],
        ...['Support.', 'sup-12', 'never came', 'came parcel', 'C', 'jtiof', 'client 99'],
        ...['olivia alice', 'alice olivia', 'olivia, alice', '  alice  ', 'Adams\nalice'],
        ...[id, id.slice(0, 20), id.toUpperCase()],
      ]
      for (const text of texts) {
        assert.deepEqual(await namesOf(store, ['a'], { text, to: T + 1 }), ['a'], text)
      }
      const others = ['hidden', 'secret', 'SUP-123x', 'adamsalice', 'lice', 'shop', 'backend']
      const unknown = ['orders', 'api.example', 'impersonation.started', 'startedAt', 'alice bob']
      for (const text of [...others, ...unknown, '', ' ', '%', '_', '-', '*', "'", '\0', '\\']) {
        assert.deepEqual(await namesOf(store, ['a', 'b'], { text, to: T + 1 }), [], text)
      }
      assert.deepEqual(await namesOf(store, ['a', 'b'], { text: 'adams' }), ['b', 'a'])
      assert.deepEqual(await namesOf(store, ['a', 'b'], { text: 'adams oliv', from: T + 1 }), ['b'])
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
        assert.deepEqual(seen.toSorted(), wanted, text)
      }
    },
  },
  {
    title: 'finds by words that are in more rows than are read by words, in the order of the list',
    async run({ store }) {
      const rows = 503
      const reason = (index: number) => (index % 200 === 7 ? 'frequent sometimes' : 'frequent')
      const entries = many(rows, (index) =>
        issued(`row ${index}`, T + index, { context: { reason: reason(index) } }),
      )
      await put(store, ...entries)
      const both = await store.find({ text: 'FREQ some' }, { limit: 9, now: T })
      assert.deepEqual(
        both.rows.map(({ at }) => at - T),
        [407, 207, 7],
      )
      const { rows: first, next } = await store.find(
        { text: 'frequent alice' },
        { limit: 2, now: T },
      )
      assert.deepEqual(
        first.map(({ at }) => at - T),
        [rows - 1, rows - 2],
      )
      const second = await store.find({ text: 'frequent' }, { before: next, limit: 1, now: T })
      assert.equal(second.rows[0]?.at, T + rows - 3)
    },
  },
  {
    title: 'finds a row by none of its words after it is removed',
    async run({ store }) {
      await put(store, issued('a', T), issued('b', T + 10))
      await removeOld(store, T + 5, 10)
      assert.deepEqual(await namesOf(store, ['a', 'b'], { text: 'alice lost' }), ['b'])
      assert.deepEqual(await namesOf(store, ['a', 'b'], { text: idOf('a') }), [])
    },
  },
  {
    title: 'finds a name that became known later',
    async run({ store }) {
      await put(store, issued('a', T))
      assert.deepEqual(await namesOf(store, ['a'], { text: 'adams' }), [])
      await put(store, started('a', T + 1, { names: { user: ALICE, actor: OLIVIA } }))
      assert.deepEqual(await namesOf(store, ['a'], { text: 'adams' }), ['a'])
      assert.deepEqual((await store.row(idOf('a')))?.operator, { id: 'olivia', ...OLIVIA })
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
          assert.deepEqual(await found(store, filter), [])
        }
      }
    },
  },
]
