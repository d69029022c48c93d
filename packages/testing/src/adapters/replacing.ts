import assert from 'node:assert/strict'
import { CALLER_COUNT, tally } from './consuming.ts'
import { cases } from './contract-case.ts'
import { atOnce, unique } from './unique.ts'

/**
 * `upsert` of an existing record: it replaces the record, and a consumed record stays consumed.
 */
export const replacingCases = cases({}, (it) => {
  it('replaces a record that was not consumed, which can then be consumed, once', async (adapter, trial) => {
    const id = trial.newId()
    await adapter.upsert(id, { jti: id, accountId: 'old', extra: {} }, 60)
    await adapter.upsert(id, { jti: id, accountId: 'new' }, 60)
    assert.deepEqual(await adapter.find(id), { jti: id, accountId: 'new' })
    assert.equal(await adapter.consumeOnce(id), true)
    assert.equal(await adapter.consumeOnce(id), false)
  })

  it('keeps a consumed record of every model consumed, whatever replaces it', async (_, trial) => {
    for (const { model, payload, expiresIn } of trial.models) {
      const adapter = trial.factory(model)
      const [first, stored] = [unique(), unique()]
      await adapter.upsert(first, payload(first), expiresIn)
      assert.equal(await adapter.consumeOnce(first), true, model)
      const since = (await adapter.find(first))?.consumed
      await adapter.upsert(stored, { ...payload(stored), consumed: 1_600_000_000 }, expiresIn)

      for (const [id, consumed] of [
        [first, since],
        [stored, 1_600_000_000],
      ] as const) {
        for (const change of [{}, { consumed: 1_700_000_000 }]) {
          const replacement = { ...payload(id), ...change, replaced: true }
          await adapter.upsert(id, replacement, expiresIn)
          assert.deepEqual(await adapter.find(id), { ...replacement, consumed }, model)
          assert.equal(await adapter.consumeOnce(id), false, model)
        }
        await adapter.destroy(id)
        const anew = payload(id)
        await adapter.upsert(id, anew, expiresIn)
        assert.deepEqual(await adapter.find(id), anew, `${model} after destroy()`)
        await adapter.destroy(id)
      }
    }
  })

  it('keeps a consumed record consumed for the whole of the longer life it is given', async (_, trial) => {
    const adapter = trial.adapterOf('ReplayDetection')
    const id = unique()
    await adapter.upsert(id, { jti: id }, 1)
    assert.equal(await adapter.consumeOnce(id), true)
    await adapter.upsert(id, { jti: id }, 60)
    await trial.elapse(1)
    assert.equal((await adapter.find(id))?.jti, id)
    assert.equal(await adapter.consumeOnce(id), false)
    await adapter.destroy(id)
  })

  it(`tells exactly one of ${CALLER_COUNT} that each write a record and then consume it, twenty times over`, async (_, trial) => {
    for (let round = 0; round < 20; round += 1) {
      const id = unique()
      const outcomes = await atOnce(CALLER_COUNT, async (caller) => {
        // increases the delay per caller, so that some write while others consume, even when no
        // call waits
        for (let ticks = caller % (round + 1); ticks > 0; ticks -= 1) await null
        await trial.adapterOf('ReplayDetection').upsert(id, { jti: id, iss: 'client' }, 60)
        return trial.adapterOf('ReplayDetection').consumeOnce(id)
      })
      assert.deepEqual(tally(outcomes), { true: 1, false: CALLER_COUNT - 1 })
      await trial.adapterOf('ReplayDetection').upsert(id, { jti: id, iss: 'client' }, 60)
      assert.equal(await trial.adapterOf('ReplayDetection').consumeOnce(id), false, 'afterwards')
      await trial.adapterOf('ReplayDetection').destroy(id)
    }
  })
})
