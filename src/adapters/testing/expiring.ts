import assert from 'node:assert/strict'
import type { ContractCase } from './contract-case.ts'
import { unique } from './unique.ts'

const expires: ContractCase = {
  title: 'forgets every kind of record once its time is over, a Client never',
  async run({ factory, models, elapse }) {
    const records = models.map(({ model, payload, expiresIn }) => {
      const id = unique()
      return { adapter: factory(model), model, id, payload: payload(id), expiresIn }
    })
    for (const { adapter, id, payload, expiresIn } of records) {
      await adapter.upsert(id, payload, expiresIn === undefined ? undefined : 1)
    }
    await elapse(1)
    for (const { adapter, model, id, payload, expiresIn } of records) {
      const found = await adapter.find(id)
      if (expiresIn === undefined) assert.deepEqual(found, payload, model)
      else assert.equal(found, undefined, model)
      if (payload.uid) assert.equal(await adapter.findByUid(payload.uid), undefined)
      if (payload.userCode) assert.equal(await adapter.findByUserCode(payload.userCode), undefined)
      if (expiresIn !== undefined) assert.equal(await adapter.consumeOnce(id), false, model)
      await adapter.destroy(id)
    }
  },
}

const replacedExpiry: ContractCase = {
  title: 'takes the expiry of the last upsert: longer, shorter or none',
  about: 'AccessToken',
  async run({ factory, elapse }) {
    const adapter = factory('AccessToken')
    const [longer, shorter, none, back] = [unique(), unique(), unique(), unique()]
    await adapter.upsert(longer, { jti: longer }, 1)
    await adapter.upsert(longer, { jti: longer }, 60)
    await adapter.upsert(shorter, { jti: shorter }, 60)
    await adapter.upsert(shorter, { jti: shorter }, 1)
    await adapter.upsert(none, { jti: none }, 1)
    await adapter.upsert(none, { jti: none })
    await adapter.upsert(back, { jti: back })
    await adapter.upsert(back, { jti: back }, 1)
    await elapse(1)
    assert.deepEqual(await adapter.find(longer), { jti: longer })
    assert.equal(await adapter.find(shorter), undefined)
    assert.deepEqual(await adapter.find(none), { jti: none })
    assert.equal(await adapter.find(back), undefined)
    for (const id of [longer, none]) await adapter.destroy(id)
  },
}

const noRevival: ContractCase = {
  title: 'neither brings an expired record back by consuming it nor lengthens its life',
  async run({ factory, elapse }) {
    const adapter = factory('SubjectToken')
    const [before, claimed, after, claimedAfter] = [unique(), unique(), unique(), unique()]
    const ids = [before, claimed, after, claimedAfter]
    for (const id of ids) await adapter.upsert(id, { jti: id }, 1)
    await adapter.consume(before)
    await adapter.consumeOnce(claimed)
    await elapse(1)
    await adapter.consume(after)
    assert.equal(await adapter.consumeOnce(claimedAfter), false)
    for (const id of ids) {
      assert.equal(await adapter.find(id), undefined)
      assert.equal(await adapter.consumeOnce(id), false)
    }
  },
}

const newLife: ContractCase = {
  title: 'takes a new record under the id of an expired and consumed one',
  async run({ factory, elapse }) {
    const adapter = factory('SubjectToken')
    const id = unique()
    await adapter.upsert(id, { jti: id }, 1)
    await adapter.consumeOnce(id)
    await elapse(1)
    await adapter.upsert(id, { jti: id, accountId: 'new' }, 60)
    assert.deepEqual(await adapter.find(id), { jti: id, accountId: 'new' })
    assert.equal(await adapter.consumeOnce(id), true)
    await adapter.destroy(id)
  },
}

const mixedGrant: ContractCase = {
  title: 'revokes what is left of a grant after its short-lived records expired',
  about: 'RefreshToken',
  async run({ factory, elapse }) {
    const adapter = factory('RefreshToken')
    const grantId = unique('grant')
    const [long, short, never] = [unique(), unique(), unique()]
    await adapter.upsert(long, { jti: long, grantId }, 60)
    await adapter.upsert(never, { jti: never, grantId })
    // the last record written expires first: the index has to live longer than it
    await adapter.upsert(short, { jti: short, grantId }, 1)
    await elapse(1)
    assert.deepEqual(await adapter.find(long), { jti: long, grantId })
    await adapter.revokeByGrantId(grantId)
    assert.equal(await adapter.find(long), undefined)
    assert.equal(await adapter.find(never), undefined)
  },
}

const reusedKeys: ContractCase = {
  title: 'keeps a uid and a user code findable after an older record with them expired',
  about: 'Session',
  async run({ factory, elapse }) {
    const [uid, userCode] = [unique('uid'), unique('CODE')]
    const [old, fresh] = [unique(), unique()]
    for (const model of ['Session', 'DeviceCode']) {
      await factory(model).upsert(old, { jti: old, uid, userCode }, 1)
      await factory(model).upsert(fresh, { jti: fresh, uid, userCode }, 60)
    }
    await elapse(1)
    assert.equal((await factory('Session').findByUid(uid))?.jti, fresh)
    assert.equal((await factory('DeviceCode').findByUserCode(userCode))?.jti, fresh)
    for (const model of ['Session', 'DeviceCode']) await factory(model).destroy(fresh)
  },
}

const oddLifetimes: ContractCase = {
  title: 'takes any number for a life: nothing, less than nothing, a fraction, far too much',
  about: 'ReplayDetection',
  async run({ factory }) {
    const adapter = factory('ReplayDetection')
    for (const expiresIn of [0, -1, -1e12]) {
      const id = unique()
      await adapter.upsert(id, { jti: id }, 60)
      await adapter.upsert(id, { jti: id }, expiresIn)
      assert.equal(await adapter.find(id), undefined, `a life of ${expiresIn} seconds`)
      assert.equal(await adapter.consumeOnce(id), false)
    }
    // for ReplayDetection, `exp` comes from the client
    for (const expiresIn of [30.25, 1e11, 1e18, 1e300]) {
      const id = unique()
      await adapter.upsert(id, { jti: id }, expiresIn)
      assert.deepEqual(await adapter.find(id), { jti: id }, `a life of ${expiresIn} seconds`)
      await adapter.destroy(id)
    }
  },
}

const lateCleanUp: ContractCase = {
  title: 'takes an expired record that a late clean-up left behind for gone',
  needs: 'leaveExpired',
  async run({ factory, models, leaveExpired }) {
    const tried = ['Session', 'DeviceCode', 'SubjectToken', 'RefreshToken']
    for (const { model, payload } of models.filter(({ model }) => tried.includes(model))) {
      const adapter = factory(model)
      const id = unique()
      const stored = payload(id)
      await adapter.upsert(id, stored, 600)
      await leaveExpired(model, id)
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

      await leaveExpired(model, id)
      await adapter.upsert(id, stored, 600)
      assert.deepEqual(await adapter.find(id), stored, 'under that of a consumed one as well')
      assert.equal(await adapter.consumeOnce(id), true)
      await adapter.destroy(id)
    }
  },
}

/** Expiry. Six of these wait a second where there is no `advance`. */
export const expiringCases: readonly ContractCase[] = [
  expires,
  replacedExpiry,
  noRevival,
  newLife,
  mixedGrant,
  reusedKeys,
  oddLifetimes,
  lateCleanUp,
]
