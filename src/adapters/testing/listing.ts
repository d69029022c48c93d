import assert from 'node:assert/strict'
import type { AdapterPayload } from 'oidc-provider'
import type { LifecycleAdapter, LookUp } from '../contract.ts'
import type { ContractCase } from './contract-case.ts'
import { destroyAll, ISSUED, listed, oddStrings, record, subjectTokens } from './lifecycle.ts'
import { unique } from './unique.ts'

/** Ids in the order of a list: by second, then by code unit, both descending. */
function newestFirst(records: readonly (readonly [id: string, iat: number])[]): string[] {
  return records
    .toSorted(([a, first], [b, second]) => second - first || (a < b ? 1 : -1))
    .map(([id]) => id)
}

/** More records than any case stores: an adapter that ignores `before` has no last page. */
const MOST_LISTED = 1000

/** Goes through all pages, and checks that none is short but the last. */
async function pagesOf(
  adapter: LifecycleAdapter,
  lookUp: LookUp,
  limit: number,
  between: (page: readonly AdapterPayload[]) => Promise<void> = async () => {},
): Promise<unknown[]> {
  const ids: unknown[] = []
  let page = await adapter.list(lookUp, limit)
  for (;;) {
    assert.ok(page.length <= limit, 'a page longer than asked for')
    assert.ok(ids.length < MOST_LISTED, 'pages without an end')
    ids.push(...page.map(({ jti }) => jti))
    const last = page.at(-1)
    if (!last || page.length < limit) return ids
    await between(page)
    page = await adapter.list(lookUp, limit, { iat: Number(last.iat), id: String(last.jti) })
  }
}

const order: ContractCase = {
  title: 'lists the newest first, by iat and then by id, and as many as asked for',
  lifecycle: true,
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    const accountId = unique('account')
    const records = Array.from({ length: 30 }, (_, i) => [unique(), ISSUED + (i % 3)] as const)
    for (const [id, iat] of records) await adapter.upsert(id, record(id, { accountId, iat }), 60)
    const expected = newestFirst(records)
    assert.deepEqual(await listed(adapter, { accountId }), expected)
    for (const limit of [1, 7, 29, 30]) {
      assert.deepEqual(await listed(adapter, { accountId }, limit), expected.slice(0, limit))
    }
    assert.deepEqual(await pagesOf(adapter, { accountId }, 4), expected, 'page by page')
    assert.deepEqual(await listed(adapter, { accountId: unique() }), [], 'of another')
    await destroyAll(adapter, expected)
  },
}

const stable: ContractCase = {
  title: 'goes on after the page before, whatever was added or went meanwhile',
  lifecycle: true,
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    const actor = unique('actor')
    const added: string[] = []
    const add = async (id: string, iat: number) => {
      added.push(id)
      await adapter.upsert(id, record(id, { actor, iat }), 60)
    }
    const records = Array.from({ length: 12 }, (_, i) => [unique(), ISSUED + (i >> 2)] as const)
    for (const [id, iat] of records) await add(id, iat)
    const pages = await pagesOf(adapter, { actor }, 2, async (page) => {
      await add(unique(), ISSUED + 9)
      // the one that the next page starts after
      await adapter.destroy(String(page.at(-1)?.jti))
    })
    assert.deepEqual(pages, newestFirst(records))

    // ids between others of one second, where a page ended
    const base = unique()
    for (const letter of ['b', 'd', 'f']) await add(`${base}${letter}`, ISSUED)
    const before = (letter: string) => ({ iat: ISSUED, id: `${base}${letter}` })
    const after = async (letter: string) =>
      (await adapter.list({ actor }, 100, before(letter)))
        .map(({ jti }) => String(jti))
        .filter((id) => id.startsWith(base))
        .map((id) => id.slice(base.length))
    for (const [letter, rest] of [
      ['g', ['f', 'd', 'b']],
      ['e', ['d', 'b']],
      ['d', ['b']],
      ['c', ['b']],
      ['a', []],
    ] as const) {
      assert.deepEqual(await after(letter), rest, `after ${letter}, which need not be there`)
    }
    await destroyAll(adapter, added)
  },
}

const lookUps: ContractCase = {
  title: 'looks up by account, by actor, by client, and by several of them',
  lifecycle: true,
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    const [a, b] = [unique('same'), unique('same')]
    const ids = new Map<string, Required<LookUp>>()
    for (const accountId of [a, b]) {
      for (const actor of [a, b]) {
        for (const clientId of [a, b]) ids.set(unique(), { accountId, actor, clientId })
      }
    }
    for (const [id, keys] of ids) await adapter.upsert(id, record(id, keys), 60)
    const values = [undefined, a, b]
    for (const accountId of values) {
      for (const actor of values) {
        for (const clientId of values) {
          const lookUp = { accountId, actor, clientId }
          if (Object.values(lookUp).every((value) => value === undefined)) continue
          const matches = [...ids].filter(([, keys]) =>
            Object.entries(lookUp).every(
              ([name, value]) => value === undefined || Reflect.get(keys, name) === value,
            ),
          )
          const expected = newestFirst(matches.map(([id]) => [id, ISSUED] as const))
          assert.deepEqual(await listed(adapter, lookUp), expected, JSON.stringify(lookUp))
          assert.deepEqual(await pagesOf(adapter, lookUp, 1), expected, 'one by one')
        }
      }
    }
    const nowhere = unique()
    assert.deepEqual(await listed(adapter, { accountId: a, actor: nowhere }), [])
    await destroyAll(adapter, [...ids.keys()])
  },
}

const everything: ContractCase = {
  title: 'lists every record where nothing is looked up, but none without an account',
  lifecycle: true,
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    const [first, second, without, empty] = [unique(), unique(), unique(), unique()]
    // newer than what other tests left behind
    const iat = 4_000_000_000
    const keys = { actor: unique('actor'), clientId: unique('client') }
    await adapter.upsert(first, record(first, { iat, ...keys }), 60)
    await adapter.upsert(second, record(second, { iat: iat + 1, ...keys }), 60)
    await adapter.upsert(without, record(without, { iat, accountId: undefined, ...keys }), 60)
    await adapter.upsert(empty, record(empty, { iat, accountId: '', ...keys }), 60)
    await adapter.consumeOnce(without, keys)
    assert.equal(await adapter.endOnce(without, { at: 1 }), true, 'it ends all the same')
    assert.deepEqual((await adapter.find(without))?.end, { at: 1 })

    const [page, more] = [await listed(adapter, {}), await listed(adapter, {}, 2)]
    const ours = page.filter((id) => [first, second, without, empty].includes(String(id)))
    assert.deepEqual(ours, [second, first])
    assert.equal(more.length, 2)
    for (const lookUp of [{ actor: keys.actor }, { clientId: keys.clientId }, keys]) {
      assert.deepEqual(await listed(adapter, lookUp), [second, first], JSON.stringify(lookUp))
    }
    await destroyAll(adapter, [first, second, without, empty])
  },
}

const actors: ContractCase = {
  title: 'finds a record by the actor it is bound to until a note names another',
  lifecycle: true,
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    const [bound, noted] = [unique('actor'), unique('actor')]
    const [replaced, plain, silent, unbound] = [unique(), unique(), unique(), unique()]
    for (const id of [replaced, plain, silent]) {
      await adapter.upsert(id, record(id, { actor: bound }), 60)
    }
    await adapter.upsert(unbound, record(unbound), 60)
    const all = newestFirst([replaced, plain, silent].map((id) => [id, ISSUED] as const))
    assert.deepEqual(await listed(adapter, { actor: bound }), all)
    assert.deepEqual(await listed(adapter, { actor: noted }), [])

    await adapter.consumeOnce(replaced, { actor: noted })
    await adapter.consumeOnce(plain)
    await adapter.consumeOnce(silent, { jti: 'x' })
    await adapter.consumeOnce(unbound, { actor: noted })
    const check = async (when: string) => {
      const still = newestFirst([plain, silent].map((id) => [id, ISSUED] as const))
      assert.deepEqual(await listed(adapter, { actor: bound }), still, when)
      const by = newestFirst([replaced, unbound].map((id) => [id, ISSUED] as const))
      assert.deepEqual(await listed(adapter, { actor: noted }), by, when)
    }
    await check('once consumed')
    for (const id of [replaced, plain, silent]) {
      await adapter.upsert(id, record(id, { actor: bound, replaced: true }), 60)
    }
    await check('once replaced')
    for (const id of [replaced, plain, silent, unbound]) await adapter.endOnce(id, { at: 1 })
    await check('once ended')
    await destroyAll(adapter, [replaced, plain, silent, unbound])
    assert.deepEqual(await listed(adapter, { actor: noted }), [], 'once destroyed')
  },
}

const payloads: ContractCase = {
  title: 'lists what find finds: payload, consumption, note and end',
  lifecycle: true,
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    const accountId = unique('account')
    const ids = [unique(), unique(), unique(), unique()] as const
    for (const id of ids) await adapter.upsert(id, record(id, { accountId, context: '{}' }), 60)
    const [, consumed, ended, both] = ids
    await adapter.consumeOnce(consumed, { actor: unique() })
    await adapter.consumeOnce(both, { actor: unique() })
    for (const id of [ended, both]) await adapter.endOnce(id, { cause: 'requested' })
    const page = await adapter.list({ accountId }, 100)
    assert.equal(page.length, ids.length)
    for (const payload of page) {
      assert.deepEqual(payload, await adapter.find(String(payload.jti)))
    }
    await destroyAll(adapter, ids)
  },
}

const replaced: ContractCase = {
  title: 'lists a record that was replaced once, by its new members and not by its old ones',
  lifecycle: true,
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    const keys = () => ({
      accountId: unique('account'),
      actor: unique('actor'),
      clientId: unique('client'),
    })
    const [id, other] = [unique(), unique()]
    const [before, after] = [keys(), keys()]
    await adapter.upsert(id, record(id, before), 60)
    await adapter.upsert(other, record(other, { ...after, iat: ISSUED + 1 }), 60)
    await adapter.upsert(id, record(id, { ...after, iat: ISSUED + 2 }), 60)
    for (const name of ['accountId', 'actor', 'clientId'] as const) {
      assert.deepEqual(await listed(adapter, { [name]: before[name] }), [], name)
      assert.deepEqual(await listed(adapter, { [name]: after[name] }), [id, other], name)
    }
    await adapter.upsert(id, record(id, { ...after, accountId: undefined }), 60)
    assert.deepEqual(await listed(adapter, { actor: after.actor }), [other], 'no account')
    await adapter.destroy(other)
    for (const name of ['accountId', 'actor', 'clientId'] as const) {
      assert.deepEqual(await listed(adapter, { [name]: after[name] }), [], 'destroyed')
    }
    await adapter.destroy(id)
  },
}

const otherModels: ContractCase = {
  title: 'lists no record of another model',
  lifecycle: true,
  about: 'AccessToken',
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    const keys = { accountId: unique('account'), clientId: unique('client') }
    const id = unique()
    for (const model of ['AccessToken', 'RefreshToken', 'Grant']) {
      await factory(model).upsert(id, record(id, { ...keys, kind: model }), 60)
    }
    assert.deepEqual(await listed(adapter, keys), [])
    assert.deepEqual(await listed(adapter, { clientId: keys.clientId }), [])
    await adapter.upsert(id, record(id, keys), 60)
    assert.equal((await adapter.list(keys, 100))[0]?.kind, 'SubjectToken')
    assert.equal((await adapter.list(keys, 100)).length, 1)
    for (const model of ['AccessToken', 'RefreshToken', 'Grant', 'SubjectToken']) {
      await factory(model).destroy(id)
    }
  },
}

const odd: ContractCase = {
  title: 'tells accounts, actors, clients and ids apart, whatever characters they are of',
  lifecycle: true,
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    const strings = oddStrings()
    const together = unique('client')
    await Promise.all(
      strings.map(async (odd) => {
        const keys = { accountId: odd, actor: `bound to ${odd}`, clientId: odd }
        await adapter.upsert(odd, record(odd, keys), 60)
        await adapter.upsert(`2 ${odd}`, record(`2 ${odd}`, { clientId: together }), 60)
        await adapter.consumeOnce(`2 ${odd}`, { actor: odd })
      }),
    )
    for (const odd of strings) {
      const what = JSON.stringify(odd)
      assert.deepEqual(await listed(adapter, { accountId: odd }), [odd], `account ${what}`)
      assert.deepEqual(await listed(adapter, { clientId: odd }), [odd], `client ${what}`)
      assert.deepEqual(await listed(adapter, { actor: `bound to ${odd}` }), [odd], what)
      assert.deepEqual(await listed(adapter, { actor: odd }), [`2 ${odd}`], `actor ${what}`)
    }
    const expected = newestFirst(strings.map((odd) => [`2 ${odd}`, ISSUED] as const))
    assert.deepEqual(await pagesOf(adapter, { clientId: together }, 5), expected, 'in order')
    await destroyAll(adapter, [...strings, ...strings.map((odd) => `2 ${odd}`)])
  },
}

const many: ContractCase = {
  title: 'lists all of three hundred, however many there are between them',
  lifecycle: true,
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    const clientId = unique('client')
    const actors = [unique('actor'), unique('actor')] as const
    const records = Array.from({ length: 300 }, (_, i) => ({
      id: unique(),
      iat: ISSUED + (i % 7),
      actor: i % 100 === 0 ? actors[0] : actors[1],
    }))
    await Promise.all(
      records.map(({ id, iat, actor }) =>
        adapter.upsert(id, record(id, { iat, clientId, actor }), 60),
      ),
    )
    const idsOf = (actor?: string) =>
      newestFirst(
        records
          .filter((each) => actor === undefined || each.actor === actor)
          .map(({ id, iat }) => [id, iat] as const),
      )
    assert.deepEqual(await pagesOf(adapter, { clientId }, 100), idsOf())
    assert.deepEqual(await pagesOf(adapter, { actor: actors[0], clientId }, 2), idsOf(actors[0]))
    // what is gone leaves no hole: a short page would say that there are no more
    const gone = idsOf().slice(0, 299)
    await destroyAll(adapter, gone)
    assert.deepEqual(await listed(adapter, { clientId }, 1), idsOf().slice(299))
    await destroyAll(adapter, idsOf().slice(299))
  },
}

/** `list`. */
export const listingCases: readonly ContractCase[] = [
  order,
  stable,
  lookUps,
  everything,
  actors,
  payloads,
  replaced,
  otherModels,
  odd,
  many,
]
