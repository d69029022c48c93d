import assert from 'node:assert/strict'
import { inspect } from 'node:util'
import type { ContractCase } from './contract-case.ts'
import { assertSeconds } from './storing.ts'
import { unique } from './unique.ts'

/** The number of callers in a race. */
export const CALLERS = 50

/** How often each outcome came up, so that a race is judged as a whole. */
export function tally(outcomes: readonly unknown[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const outcome of outcomes) {
    const name = inspect(outcome)
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

const race: ContractCase = {
  title: `gives a record to exactly one of ${CALLERS} callers at once, twenty times over`,
  async run({ factory }) {
    for (let round = 0; round < 20; round += 1) {
      const id = unique()
      await factory('SubjectToken').upsert(id, { jti: id }, 60)
      const outcomes = await Promise.all(
        Array.from({ length: CALLERS }, () => factory('SubjectToken').consumeOnce(id)),
      )
      assert.deepEqual(tally(outcomes), { true: 1, false: CALLERS - 1 })
      assert.equal(await factory('SubjectToken').consumeOnce(id), false, 'afterwards')
      await factory('SubjectToken').destroy(id)
    }
  },
}

const interleaved: ContractCase = {
  title: 'gives each of twenty records to exactly one when all are consumed at once',
  async run({ factory }) {
    const adapter = factory('SubjectToken')
    const ids = Array.from({ length: 20 }, () => unique())
    await Promise.all(ids.map((id) => adapter.upsert(id, { jti: id }, 60)))
    const claims = Array.from({ length: CALLERS }, () => ids).flat()
    const won = await Promise.all(
      claims.map(async (id) => ((await adapter.consumeOnce(id)) ? id : '')),
    )
    assert.deepEqual(won.filter(Boolean).sort(), [...ids].sort())
    await Promise.all(ids.map((id) => adapter.destroy(id)))
  },
}

const everyModel: ContractCase = {
  title: 'consumes a record of every model once, and shows it as consumed afterwards',
  async run({ factory, models }) {
    for (const { model, payload, expiresIn } of models) {
      const adapter = factory(model)
      const id = unique()
      const stored = payload(id)
      await adapter.upsert(id, stored, expiresIn)
      assert.equal(await adapter.consumeOnce(id), true, model)
      const { consumed, ...rest } = (await adapter.find(id)) ?? {}
      assertSeconds(consumed)
      assert.deepEqual(rest, stored, model)
      assert.equal(await adapter.consumeOnce(id), false, model)
      await adapter.consume(id)
      assert.equal(await adapter.consumeOnce(id), false, `${model} after consume()`)
      await adapter.destroy(id)
      assert.equal(await adapter.consumeOnce(id), false, `${model} after destroy()`)
    }
  },
}

const afterConsume: ContractCase = {
  title: 'counts a record as taken that consume() marked, or that was stored as consumed',
  async run({ factory }) {
    const adapter = factory('SubjectToken')
    const [marked, stored] = [unique(), unique()]
    await adapter.upsert(marked, { jti: marked }, 60)
    await adapter.consume(marked)
    assert.equal(await adapter.consumeOnce(marked), false)

    await adapter.upsert(stored, { jti: stored, consumed: 1_700_000_000 }, 60)
    assert.deepEqual(await adapter.find(stored), { jti: stored, consumed: 1_700_000_000 })
    assert.equal(await adapter.consumeOnce(stored), false)
    for (const id of [marked, stored]) await adapter.destroy(id)
  },
}

const missing: ContractCase = {
  title: 'consumes nothing that is not there, and leaves nothing behind by trying',
  async run({ factory }) {
    const adapter = factory('SubjectToken')
    const id = unique()
    assert.equal(await adapter.consumeOnce(id), false)
    // whether consume() of a missing record rejects is the adapter's choice
    await adapter.consume(id).catch(() => {})
    assert.equal(await adapter.find(id), undefined)
    assert.equal(await adapter.consumeOnce(id), false)

    await adapter.upsert(id, { jti: id }, 60)
    assert.deepEqual(await adapter.find(id), { jti: id }, 'no trace of the earlier attempts')
    assert.equal(await adapter.consumeOnce(id), true)
    await adapter.destroy(id)
  },
}

const againstDestroy: ContractCase = {
  title: 'consumes a record at most once while it is destroyed, and never revives it',
  async run({ factory }) {
    const adapter = factory('SubjectToken')
    for (let round = 0; round < 10; round += 1) {
      const id = unique()
      await adapter.upsert(id, { jti: id }, 60)
      const [first, , second] = await Promise.all([
        adapter.consumeOnce(id),
        adapter.destroy(id),
        adapter.consumeOnce(id),
      ])
      assert.ok(!(first && second), 'consumed twice')
      assert.equal(await adapter.find(id), undefined, 'consumeOnce brought the record back')
      assert.equal(await adapter.consumeOnce(id), false)
    }
  },
}

const againstRevocation: ContractCase = {
  title: 'consumes a record at most once while its grant is revoked, and never revives it',
  about: 'AuthorizationCode',
  async run({ factory }) {
    const adapter = factory('AuthorizationCode')
    for (let round = 0; round < 10; round += 1) {
      const id = unique()
      const grantId = unique('grant')
      await adapter.upsert(id, { jti: id, grantId }, 60)
      const [first, , second] = await Promise.all([
        adapter.consumeOnce(id),
        adapter.revokeByGrantId(grantId),
        adapter.consumeOnce(id),
      ])
      assert.ok(!(first && second), 'consumed twice')
      assert.equal(await adapter.find(id), undefined, 'consumeOnce brought the record back')
    }
  },
}

/** `consumeOnce`: exactly one caller, ever. */
export const consumingCases: readonly ContractCase[] = [
  race,
  interleaved,
  everyModel,
  afterConsume,
  missing,
  againstDestroy,
  againstRevocation,
]
