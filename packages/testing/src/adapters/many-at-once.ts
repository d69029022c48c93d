import assert from 'node:assert/strict'
import { type ContractCase, cases } from './contract-case.ts'
import { atOnce } from './unique.ts'

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

/** Calls that an adapter may group into one step. Each gets its own result. */
export const manyAtOnceCases: readonly ContractCase[] = written
