import assert from 'node:assert/strict'
import type { LookUp } from '../contract.ts'
import type { ContractCase } from './contract-case.ts'
import { destroyAll, ISSUED, listed, record, subjectTokens } from './lifecycle.ts'
import { newestFirst, pagesOf } from './pages.ts'
import { unique } from './unique.ts'

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
    await adapter.upsert(id, record(id, after), 60)
    assert.deepEqual(await listed(adapter, { actor: after.actor }), [other, id])
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

/** `list`: what is listed, and by what. */
export const listedByCases: readonly ContractCase[] = [
  lookUps,
  everything,
  actors,
  replaced,
  otherModels,
]
