import assert from 'node:assert/strict'
import type { LookUp } from 'oidc-provider-impersonation/adapters/contract'
import { type ContractCase, casesOfEnding } from './contract-case.ts'
import { destroyAll, ISSUED_SECONDS, issued, listed, record } from './impersonation-case.ts'
import { listPages, newestFirst } from './pages.ts'
import { atOnce, unique } from './unique.ts'

/** The order of a list in which all records are of one second. */
const ofOneSecond = (ids: readonly string[]) => newestFirst(ids.map((id) => [id, ISSUED_SECONDS]))

const ofSubjectTokens = casesOfEnding({}, (it) => {
  it('looks up by account, by actor, by client, and by several of them', async (adapter, trial) => {
    const [a, b] = [unique('same'), unique('same')]
    const ids = new Map<string, Required<LookUp>>()
    for (const accountId of [a, b]) {
      for (const actor of [a, b]) {
        for (const clientId of [a, b]) ids.set(trial.newId(), { accountId, actor, clientId })
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
          const expected = ofOneSecond(matches.map(([id]) => id))
          assert.deepEqual(await listed(adapter, lookUp), expected, JSON.stringify(lookUp))
          assert.deepEqual(await listPages(adapter, lookUp, 1), expected, 'one by one')
        }
      }
    }
    assert.deepEqual(await listed(adapter, { accountId: a, actor: unique() }), [])
  })

  it('lists every record where nothing is looked up, but none without an account', async (adapter, trial) => {
    const { store } = trial
    // newer than what other tests left behind
    const iat = 4_000_000_000
    const keys = { actor: unique('actor'), clientId: unique('client') }
    const first = await store(issued({ iat, ...keys }))
    const second = await store(issued({ iat: iat + 1, ...keys }))
    const without = await store(issued({ iat, accountId: undefined, ...keys }))
    const empty = await store(issued({ iat, accountId: '', ...keys }))
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
  })

  it('finds a record by the actor it is bound to until a note names another', async (adapter, trial) => {
    const { store } = trial
    const [bound, noted] = [unique('actor'), unique('actor')]
    const ids = await atOnce(3, () => store(issued({ actor: bound })))
    const [replaced = '', plain = '', silent = ''] = ids
    const unbound = await store(issued())
    assert.deepEqual(await listed(adapter, { actor: bound }), ofOneSecond(ids))
    assert.deepEqual(await listed(adapter, { actor: noted }), [])

    await adapter.consumeOnce(replaced, { actor: noted })
    await adapter.consumeOnce(plain)
    await adapter.consumeOnce(silent, { jti: 'x' })
    await adapter.consumeOnce(unbound, { actor: noted })
    const check = async (when: string) => {
      const [ofBound, ofNoted] = [
        [plain, silent],
        [replaced, unbound],
      ].map(ofOneSecond)
      assert.deepEqual(await listed(adapter, { actor: bound }), ofBound, when)
      assert.deepEqual(await listed(adapter, { actor: noted }), ofNoted, when)
    }
    await check('once consumed')
    for (const id of ids) {
      await adapter.upsert(id, record(id, { actor: bound, replaced: true }), 60)
    }
    await check('once replaced')
    for (const id of [...ids, unbound]) await adapter.endOnce(id, { at: 1 })
    await check('once ended')
    await destroyAll(adapter, [...ids, unbound])
    assert.deepEqual(await listed(adapter, { actor: noted }), [], 'once destroyed')
  })

  it('lists a record that was replaced once, by its new members and not by its old ones', async (adapter, trial) => {
    const keys = () => ({
      accountId: unique('account'),
      actor: unique('actor'),
      clientId: unique('client'),
    })
    const [before, after] = [keys(), keys()]
    const id = await trial.store(issued(before))
    const other = await trial.store(issued({ ...after, iat: ISSUED_SECONDS + 1 }))
    await adapter.upsert(id, record(id, after), 60)
    assert.deepEqual(await listed(adapter, { actor: after.actor }), [other, id])
    await adapter.upsert(id, record(id, { ...after, iat: ISSUED_SECONDS + 2 }), 60)
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
  })
})

const otherModels = casesOfEnding({ about: 'AccessToken' }, (it) => {
  it('lists no record of another model', async (adapter, trial) => {
    const keys = { accountId: unique('account'), clientId: unique('client') }
    const id = unique()
    for (const model of ['AccessToken', 'RefreshToken', 'Grant']) {
      await trial.factory(model).upsert(id, record(id, { ...keys, kind: model }), 60)
    }
    assert.deepEqual(await listed(adapter, keys), [])
    assert.deepEqual(await listed(adapter, { clientId: keys.clientId }), [])
    await adapter.upsert(id, record(id, keys), 60)
    assert.equal((await adapter.list(keys, 100))[0]?.kind, 'SubjectToken')
    assert.equal((await adapter.list(keys, 100)).length, 1)
    for (const model of ['AccessToken', 'RefreshToken', 'Grant', 'SubjectToken']) {
      await trial.factory(model).destroy(id)
    }
  })
})

/** `list`: its filters, and the records that it returns. */
export const listedByCases: readonly ContractCase[] = [...ofSubjectTokens, ...otherModels]
