import assert from 'node:assert/strict'
import { type ContractCase, cases } from './contract-case.ts'
import { atOnce, unique } from './unique.ts'

const ofAnyModel = cases({}, (it) => {
  it('forgets every kind of record once its time is over, a Client never', async (_, trial) => {
    const records = trial.models.map(({ model, payload, expiresIn }) => {
      const id = unique()
      return { adapter: trial.factory(model), model, id, payload: payload(id), expiresIn }
    })
    for (const { adapter, id, payload, expiresIn } of records) {
      await adapter.upsert(id, payload, expiresIn === undefined ? undefined : 1)
    }
    await trial.elapse(1)
    for (const { adapter, model, id, payload, expiresIn } of records) {
      const found = await adapter.find(id)
      if (expiresIn === undefined) assert.deepEqual(found, payload, model)
      else assert.equal(found, undefined, model)
      if (payload.uid) assert.equal(await adapter.findByUid(payload.uid), undefined)
      if (payload.userCode) assert.equal(await adapter.findByUserCode(payload.userCode), undefined)
      if (expiresIn !== undefined) assert.equal(await adapter.consumeOnce(id), false, model)
      await adapter.destroy(id)
    }
  })

  it('neither brings an expired record back by consuming it nor lengthens its life', async (adapter, trial) => {
    const ids = await atOnce(4, () => trial.store({}, 1))
    const [before = '', consumed = '', after = '', consumedAfter = ''] = ids
    await adapter.consume(before)
    await adapter.consumeOnce(consumed)
    await trial.elapse(1)
    await adapter.consume(after)
    assert.equal(await adapter.consumeOnce(consumedAfter), false)
    for (const id of ids) {
      assert.equal(await adapter.find(id), undefined)
      assert.equal(await adapter.consumeOnce(id), false)
    }
  })

  it('takes a new record under the id of an expired and consumed one', async (adapter, trial) => {
    const id = await trial.store({}, 1)
    await adapter.consumeOnce(id)
    await trial.elapse(1)
    await adapter.upsert(id, { jti: id, accountId: 'new' }, 60)
    assert.deepEqual(await adapter.find(id), { jti: id, accountId: 'new' })
    assert.equal(await adapter.consumeOnce(id), true)
  })
})

const replacedExpiry = cases({ about: 'AccessToken' }, (it) => {
  it('takes the expiry of the last upsert: longer, shorter or none', async (adapter, trial) => {
    const [longer, shorter] = [await trial.store({}, 1), await trial.store()]
    const [none, back] = [await trial.store({}, 1), trial.newId()]
    await adapter.upsert(longer, { jti: longer }, 60)
    await adapter.upsert(shorter, { jti: shorter }, 1)
    await adapter.upsert(none, { jti: none })
    await adapter.upsert(back, { jti: back })
    await adapter.upsert(back, { jti: back }, 1)
    await trial.elapse(1)
    assert.deepEqual(await adapter.find(longer), { jti: longer })
    assert.equal(await adapter.find(shorter), undefined)
    assert.deepEqual(await adapter.find(none), { jti: none })
    assert.equal(await adapter.find(back), undefined)
  })
})

const mixedGrant = cases({ about: 'RefreshToken' }, (it) => {
  it('revokes what is left of a grant after its short-lived records expired', async (adapter, trial) => {
    const grantId = unique('grant')
    const [long, never] = [await trial.store({ grantId }), unique()]
    await adapter.upsert(never, { jti: never, grantId })
    // the last record written expires first: the index has to live longer than it
    await trial.store({ grantId }, 1)
    await trial.elapse(1)
    assert.deepEqual(await adapter.find(long), { jti: long, grantId })
    await adapter.revokeByGrantId(grantId)
    assert.equal(await adapter.find(long), undefined)
    assert.equal(await adapter.find(never), undefined)
  })
})

const reusedKeys = cases({ about: 'Session' }, (it) => {
  it('keeps a uid and a user code findable after an older record with them expired', async (_, trial) => {
    const [uid, userCode] = [unique('uid'), unique('CODE')]
    const [old, fresh] = [unique(), unique()]
    for (const model of ['Session', 'DeviceCode']) {
      await trial.factory(model).upsert(old, { jti: old, uid, userCode }, 1)
      await trial.factory(model).upsert(fresh, { jti: fresh, uid, userCode }, 60)
    }
    await trial.elapse(1)
    assert.equal((await trial.factory('Session').findByUid(uid))?.jti, fresh)
    assert.equal((await trial.factory('DeviceCode').findByUserCode(userCode))?.jti, fresh)
    for (const model of ['Session', 'DeviceCode']) await trial.factory(model).destroy(fresh)
  })
})

const oddLifetimes = cases({ about: 'ReplayDetection' }, (it) => {
  it('takes any number for a life: nothing, less than nothing, a fraction, far too much', async (adapter, trial) => {
    for (const expiresIn of [0, -1, -1e12]) {
      const id = await trial.store()
      await adapter.upsert(id, { jti: id }, expiresIn)
      assert.equal(await adapter.find(id), undefined, `a life of ${expiresIn} seconds`)
      assert.equal(await adapter.consumeOnce(id), false)
    }
    // for ReplayDetection, `exp` comes from the client
    for (const expiresIn of [30.25, 1e11, 1e18, 1e300]) {
      const id = trial.newId()
      await adapter.upsert(id, { jti: id }, expiresIn)
      assert.deepEqual(await adapter.find(id), { jti: id }, `a life of ${expiresIn} seconds`)
    }
  })
})

const lateCleanUp = cases({ needs: 'leaveExpired' }, (it) => {
  it('takes an expired record that a late clean-up left behind for gone', async (_, trial) => {
    const tried = ['Session', 'DeviceCode', 'SubjectToken', 'RefreshToken']
    for (const { model, payload } of trial.models.filter(({ model }) => tried.includes(model))) {
      const adapter = trial.factory(model)
      const id = unique()
      const stored = payload(id)
      await adapter.upsert(id, stored, 600)
      await trial.leaveExpired(model, id)
      assert.equal(await adapter.find(id), undefined, model)
      if (stored.uid) assert.equal(await adapter.findByUid(stored.uid), undefined, model)
      if (stored.userCode) {
        assert.equal(await adapter.findByUserCode(stored.userCode), undefined, model)
      }
      await adapter.consume(id)
      assert.equal(await adapter.consumeOnce(id), false, model)
      assert.equal(await adapter.find(id), undefined, model)

      await adapter.upsert(id, stored, 600)
      assert.deepEqual(await adapter.find(id), stored, 'a new record under that id')
      assert.equal(await adapter.consumeOnce(id), true)

      await trial.leaveExpired(model, id)
      await adapter.upsert(id, stored, 600)
      assert.deepEqual(await adapter.find(id), stored, 'under that of a consumed one as well')
      assert.equal(await adapter.consumeOnce(id), true)
      await adapter.destroy(id)
    }
  })
})

/** Expiry. Six cases wait a second without `advance`. */
export const expiringCases: readonly ContractCase[] = [
  ...ofAnyModel,
  ...replacedExpiry,
  ...mixedGrant,
  ...reusedKeys,
  ...oddLifetimes,
  ...lateCleanUp,
]
