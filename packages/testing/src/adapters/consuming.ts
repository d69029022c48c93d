import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import { cases } from './contract-case.ts'
import { assertSeconds } from './storing.ts'
import { atOnce } from './unique.ts'

/** The number of callers in a race. */
export const CALLER_COUNT = 50

/** Counts each outcome, so that a race is judged as a whole. */
export function tally(outcomes: readonly unknown[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) {
    const name = inspect(outcome)
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

/** `consumeOnce`: exactly one caller, ever. */
export const consumingCases = cases({}, (it) => {
  it('gives each of twenty records to exactly one when all are consumed at once', async (adapter, trial) => {
    const ids = await atOnce(20, () => trial.store())
    const claims = Array.from({ length: CALLER_COUNT }, () => ids).flat()
    const won = await Promise.all(
      claims.map(async (id) => ((await adapter.consumeOnce(id)) ? id : '')),
    )
    assert.deepEqual(won.filter(Boolean).sort(), [...ids].sort())
  })

  it('consumes a record once, and shows it as consumed afterwards', async (adapter, trial) => {
    const id = await trial.store({ kind: 'SubjectToken' })
    assert.equal(await adapter.consumeOnce(id), true)
    const { consumed, ...rest } = (await adapter.find(id)) ?? {}
    assertSeconds(consumed)
    assert.deepEqual(rest, { jti: id, kind: 'SubjectToken' })
    assert.equal(await adapter.consumeOnce(id), false)
    await adapter.consume(id)
    assert.equal(await adapter.consumeOnce(id), false, 'after consume()')
    await adapter.destroy(id)
    assert.equal(await adapter.consumeOnce(id), false, 'after destroy()')
  })

  it('counts a record as taken that consume() marked, or that was stored as consumed', async (adapter, trial) => {
    const marked = await trial.store()
    await adapter.consume(marked)
    assert.equal(await adapter.consumeOnce(marked), false)

    const stored = await trial.store({ consumed: 1_700_000_000 })
    assert.deepEqual(await adapter.find(stored), { jti: stored, consumed: 1_700_000_000 })
    assert.equal(await adapter.consumeOnce(stored), false)
  })

  it('consumes nothing that is not there, and leaves nothing behind by trying', async (adapter, trial) => {
    const id = trial.newId()
    assert.equal(await adapter.consumeOnce(id), false)
    // whether consume() of a missing record rejects is the adapter's choice
    await adapter.consume(id).catch(() => {})
    assert.equal(await adapter.find(id), undefined)
    assert.equal(await adapter.consumeOnce(id), false)

    await adapter.upsert(id, { jti: id }, 60)
    assert.deepEqual(await adapter.find(id), { jti: id }, 'no trace of the earlier attempts')
    assert.equal(await adapter.consumeOnce(id), true)
  })

  it('consumes a record at most once while it is destroyed, and never revives it', async (adapter, trial) => {
    for (let round = 0; round < 10; round += 1) {
      const id = await trial.store()
      const [first, , second] = await Promise.all([
        adapter.consumeOnce(id),
        adapter.destroy(id),
        adapter.consumeOnce(id),
      ])
      assert.ok(!(first && second), 'consumed twice')
      assert.equal(await adapter.find(id), undefined, 'consumeOnce brought the record back')
      assert.equal(await adapter.consumeOnce(id), false)
    }
  })
})
