import assert from 'node:assert/strict'
import { type ContractCase, cases } from './contract-case.ts'
import { type ModelSample, modelSample, models } from './models.ts'
import { unique } from './unique.ts'

const byUid = cases({ about: 'Session' }, (it) => {
  it('finds a Session by its uid, also under a new id, and not once it is gone', async (adapter, trial) => {
    const { newId } = trial
    const { payload } = modelSample('Session')
    const [id, next, other] = [newId(), newId(), newId()]
    const session = payload(id)
    const uid = session.uid ?? ''
    const otherSession = payload(other)
    await adapter.upsert(id, session, 600)
    await adapter.upsert(other, otherSession, 600)
    assert.deepEqual(await adapter.findByUid(uid), session)

    // Session#resetIdentifier: the old id is destroyed, the same uid saved under a new one
    await adapter.destroy(id)
    assert.equal(await adapter.findByUid(uid), undefined)
    await adapter.upsert(next, { ...session, jti: next }, 600)
    assert.deepEqual(await adapter.findByUid(uid), { ...session, jti: next })
    assert.equal(await adapter.findByUid(next), undefined, 'an id is not a uid')
    assert.equal(await adapter.find(uid), undefined, 'a uid is not an id')

    const replaced = { ...session, jti: next, uid: unique('uid') }
    await adapter.upsert(next, replaced, 600)
    assert.equal(await adapter.findByUid(uid), undefined, 'the uid that was replaced')
    assert.deepEqual(await adapter.findByUid(replaced.uid), replaced)
    assert.deepEqual(await adapter.findByUid(otherSession.uid ?? ''), otherSession)
  })
})

const byUserCode = cases({ about: 'DeviceCode' }, (it) => {
  it('finds a DeviceCode by its user code, with what it went through since', async (adapter) => {
    const { payload } = modelSample('DeviceCode')
    const id = unique()
    const code = payload(id)
    const userCode = code.userCode ?? ''
    await adapter.upsert(id, code, 600)
    assert.deepEqual(await adapter.findByUserCode(userCode), code)

    const answered = { ...code, accountId: 'account', inFlight: true }
    await adapter.upsert(id, answered, 600)
    assert.deepEqual(await adapter.findByUserCode(userCode), answered)

    await adapter.consume(id)
    const found = await adapter.findByUserCode(userCode)
    assert.ok(found?.consumed, 'found by its user code, it says that it is consumed')

    await adapter.upsert(id, { ...answered, userCode: unique('CODE') }, 600)
    assert.equal(await adapter.findByUserCode(userCode), undefined, 'the code that was replaced')
    await adapter.upsert(id, code, 600)
    await adapter.revokeByGrantId(code.grantId ?? '')
    assert.equal(await adapter.findByUserCode(userCode), undefined, 'revoked')
  })
})

const revocation = ({ model, payload }: ModelSample) =>
  cases({ about: model }, (it) => {
    it(`revokes every ${model} of a grant, however many, and nothing else`, async (adapter) => {
      const [grantId, otherGrant] = [unique('grant'), unique('grant')]
      const ids = Array.from({ length: 250 }, () => unique())
      const [bystander, moved] = [unique(), unique()]
      await Promise.all(ids.map((id) => adapter.upsert(id, { ...payload(id), grantId }, 600)))
      const untouched = { ...payload(bystander), grantId: otherGrant }
      await adapter.upsert(bystander, untouched, 600)
      await adapter.upsert(moved, { ...payload(moved), grantId }, 600)
      const movedOn = { ...payload(moved), grantId: otherGrant }
      await adapter.upsert(moved, movedOn, 600)
      const [consumed = '', destroyed = ''] = ids
      await adapter.consume(consumed)
      await adapter.destroy(destroyed)

      await adapter.revokeByGrantId(unique('grant'))
      assert.notEqual(await adapter.find(consumed), undefined, 'another grant was revoked')
      await adapter.revokeByGrantId(grantId)

      const left = await Promise.all(ids.map((id) => adapter.find(id)))
      assert.deepEqual(
        left.filter((found) => found !== undefined),
        [],
      )
      assert.equal(await adapter.consumeOnce(ids[2] ?? ''), false, 'a revoked record')
      assert.deepEqual(await adapter.find(bystander), untouched)
      assert.deepEqual(await adapter.find(moved), movedOn, 'it belongs to another grant by now')
      await adapter.revokeByGrantId(grantId)

      // a grant that was revoked can be revoked again with later records
      const late = unique()
      await adapter.upsert(late, { ...payload(late), grantId }, 600)
      await adapter.revokeByGrantId(grantId)
      assert.equal(await adapter.find(late), undefined)
      await adapter.revokeByGrantId(otherGrant)
      assert.equal(await adapter.find(bystander), undefined)
    })
  })

/** Look-ups other than by id: uid, user code, grant. */
export const lookingUpCases: readonly ContractCase[] = [
  ...byUid,
  ...byUserCode,
  ...models.filter(({ grantable }) => grantable).flatMap(revocation),
]
