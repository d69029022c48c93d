import assert from 'node:assert/strict'
import { CALLERS, tally } from './consuming.ts'
import type { ContractCase } from './contract-case.ts'
import { unique } from './unique.ts'

const replacing: ContractCase = {
  title: 'replaces a record that was not consumed, which can then be consumed, once',
  async run({ factory }) {
    const adapter = factory('SubjectToken')
    const id = unique()
    await adapter.upsert(id, { jti: id, accountId: 'old', extra: {} }, 60)
    await adapter.upsert(id, { jti: id, accountId: 'new' }, 60)
    assert.deepEqual(await adapter.find(id), { jti: id, accountId: 'new' })
    assert.equal(await adapter.consumeOnce(id), true)
    assert.equal(await adapter.consumeOnce(id), false)
    await adapter.destroy(id)
  },
}

const replaced: ContractCase = {
  title: 'keeps a consumed record of every model consumed, whatever replaces it',
  async run({ factory, models }) {
    for (const { model, payload, expiresIn } of models) {
      const adapter = factory(model)
      const [claimed, stored] = [unique(), unique()]
      await adapter.upsert(claimed, payload(claimed), expiresIn)
      assert.equal(await adapter.consumeOnce(claimed), true, model)
      const since = (await adapter.find(claimed))?.consumed
      await adapter.upsert(stored, { ...payload(stored), consumed: 1_600_000_000 }, expiresIn)

      for (const [id, consumed] of [
        [claimed, since],
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
  },
}

const longerLife: ContractCase = {
  title: 'keeps a consumed record consumed for the whole of the longer life it is given',
  async run({ adapterOf, elapse }) {
    const adapter = adapterOf('ReplayDetection')
    const id = unique()
    await adapter.upsert(id, { jti: id }, 1)
    assert.equal(await adapter.consumeOnce(id), true)
    await adapter.upsert(id, { jti: id }, 60)
    await elapse(1)
    assert.equal((await adapter.find(id))?.jti, id)
    assert.equal(await adapter.consumeOnce(id), false)
    await adapter.destroy(id)
  },
}

const writingRace: ContractCase = {
  title: `tells exactly one of ${CALLERS} that each write a record and then consume it, twenty times over`,
  async run({ adapterOf }) {
    for (let round = 0; round < 20; round += 1) {
      const id = unique()
      const outcomes = await Promise.all(
        Array.from({ length: CALLERS }, async (_, caller) => {
          // increases the delay per caller, so that some write while others consume, even when no
          // call waits
          for (let ticks = caller % (round + 1); ticks > 0; ticks -= 1) await null
          await adapterOf('ReplayDetection').upsert(id, { jti: id, iss: 'client' }, 60)
          return adapterOf('ReplayDetection').consumeOnce(id)
        }),
      )
      assert.deepEqual(tally(outcomes), { true: 1, false: CALLERS - 1 })
      await adapterOf('ReplayDetection').upsert(id, { jti: id, iss: 'client' }, 60)
      assert.equal(await adapterOf('ReplayDetection').consumeOnce(id), false, 'afterwards')
      await adapterOf('ReplayDetection').destroy(id)
    }
  },
}

/** `upsert` of an existing record: it replaces the record, and a consumed record stays consumed. */
export const replacingCases: readonly ContractCase[] = [
  replacing,
  replaced,
  longerLife,
  writingRace,
]
