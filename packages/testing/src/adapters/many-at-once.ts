import assert from 'node:assert/strict'
import { type ContractCase, cases, casesOfEnding } from './contract-case.ts'
import { atOnce, unique } from './unique.ts'

const RECORD_COUNT = 100

const written = cases({}, (it) => {
  it(`stores ${RECORD_COUNT} records that are written at once, and finds each when all are looked up at once`, async (adapter, trial) => {
    const ids = await atOnce(RECORD_COUNT, () => trial.store())
    const missing = ids.map(() => trial.newId())
    const found = await Promise.all([...ids, ...missing].map((id) => adapter.find(id)))
    assert.deepEqual(found, [...ids.map((jti) => ({ jti })), ...missing.map(() => undefined)])

    const [same = ''] = ids
    const [one, other] = await Promise.all([adapter.find(same), adapter.find(same)])
    Object.assign(one ?? {}, { changed: true })
    assert.deepEqual(other, { jti: same }, 'a payload that two callers share')
  })
})

const models = cases({ about: 'Session' }, (it) => {
  it('tells models apart where records of one id are looked up at once', async (_, trial) => {
    const id = unique()
    const [absent, ...stored] = trial.models.map(({ model }) => model)
    for (const model of stored) await trial.factory(model).upsert(id, { kind: model }, 60)
    const found = await Promise.all(trial.models.map(({ model }) => trial.factory(model).find(id)))
    assert.deepEqual(found, [undefined, ...stored.map((kind) => ({ kind }))], `no ${absent}`)
    await Promise.all(stored.map((model) => trial.factory(model).destroy(id)))
  })
})

const consumed = casesOfEnding({}, (it) => {
  it('keeps of each record the note of its winner where several are consumed at once', async (adapter, trial) => {
    const ids = await atOnce(5, () => trial.store())
    const callers = Array.from({ length: RECORD_COUNT }, (_, caller) => ({
      caller,
      id: ids[caller % ids.length] ?? '',
    }))
    const won = await Promise.all(
      callers.map(({ id, caller }) => adapter.consumeOnce(id, { actor: `a${caller}`, caller })),
    )
    const winners = callers.filter((_, at) => won[at])
    assert.deepEqual(winners.map(({ id }) => id).sort(), [...ids].sort(), 'one for each')
    for (const { id, caller } of winners) {
      assert.deepEqual((await adapter.find(id))?.note, { actor: `a${caller}`, caller })
    }
  })

  it('consumes at once what is live, and nothing that was consumed, has ended or has expired', async (adapter, trial) => {
    const { store } = trial
    const [live, consumed, ended] = [await store(), await store(), await store()]
    const [expired, missing] = [await store({}, 1), trial.newId()]
    const ids = [live, consumed, ended, expired, missing]
    assert.equal(await adapter.consumeOnce(consumed, { actor: 'first' }), true)
    assert.equal(await adapter.endOnce(ended, {}), true)
    await trial.elapse(1)
    const won = await Promise.all(ids.map((id) => adapter.consumeOnce(id, { actor: 'late' })))
    assert.deepEqual(won, [true, false, false, false, false])
    assert.deepEqual((await adapter.find(consumed))?.note, { actor: 'first' })
    assert.equal((await adapter.find(ended))?.note, undefined)
    for (const id of [expired, missing]) assert.equal(await adapter.find(id), undefined)
  })
})

/** Calls that an adapter may group into one step. Each gets its own result. */
export const manyAtOnceCases: readonly ContractCase[] = [...written, ...models, ...consumed]
