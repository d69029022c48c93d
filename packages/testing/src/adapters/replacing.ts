import assert from 'node:assert/strict'
import { CALLER_COUNT, tally } from './consuming.ts'
import { cases } from './contract-case.ts'
import { atOnce } from './unique.ts'

/**
 * `upsert` of an existing record: it replaces the record, and a consumed record stays consumed.
 */
export const replacingCases = cases({}, (it) => {
  it('keeps a consumed record consumed, whatever replaces it', async (adapter, trial) => {
    const [first, stored] = [await trial.store(), await trial.store({ consumed: 1_600_000_000 })]
    assert.equal(await adapter.consumeOnce(first), true)
    const since = (await adapter.find(first))?.consumed
    for (const [id, consumed] of [
      [first, since],
      [stored, 1_600_000_000],
    ] as const) {
      for (const change of [{}, { consumed: 1_700_000_000 }]) {
        const replacement = { jti: id, ...change, replaced: true }
        await adapter.upsert(id, replacement, 60)
        assert.deepEqual(await adapter.find(id), { ...replacement, consumed })
        assert.equal(await adapter.consumeOnce(id), false)
      }
      await adapter.destroy(id)
      await adapter.upsert(id, { jti: id }, 60)
      assert.deepEqual(await adapter.find(id), { jti: id }, 'after destroy()')
    }
  })

  it('keeps a consumed record consumed for the whole of the longer life it is given', async (adapter, trial) => {
    const id = await trial.store({}, 1)
    assert.equal(await adapter.consumeOnce(id), true)
    await adapter.upsert(id, { jti: id }, 60)
    await trial.elapse(1)
    assert.equal((await adapter.find(id))?.jti, id)
    assert.equal(await adapter.consumeOnce(id), false)
  })

  it(`tells exactly one of ${CALLER_COUNT} that each write a record and then consume it, twenty times over`, async (adapter, trial) => {
    for (let round = 0; round < 20; round += 1) {
      const id = trial.newId()
      const outcomes = await atOnce(CALLER_COUNT, async (caller) => {
        // increases the delay per caller, so that some write while others consume, even when no
        // call waits
        for (let ticks = caller % (round + 1); ticks > 0; ticks -= 1) await null
        await adapter.upsert(id, { jti: id, iss: 'client' }, 60)
        return adapter.consumeOnce(id)
      })
      assert.deepEqual(tally(outcomes), { true: 1, false: CALLER_COUNT - 1 })
      await adapter.upsert(id, { jti: id, iss: 'client' }, 60)
      assert.equal(await adapter.consumeOnce(id), false, 'afterwards')
    }
  })
})
