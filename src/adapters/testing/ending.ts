import assert from 'node:assert/strict'
import { CALLERS, tally } from './consuming.ts'
import type { ContractCase } from './contract-case.ts'
import { destroyAll, listed, record, subjectTokens } from './lifecycle.ts'
import { contexts } from './payloads.ts'
import { assertSeconds } from './storing.ts'
import { unique } from './unique.ts'

const note: ContractCase = {
  title: 'keeps the note of the one that consumed a record, and finds it there',
  lifecycle: true,
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    const [noted, plain, late] = [unique(), unique(), unique()]
    for (const id of [noted, plain, late]) await adapter.upsert(id, { jti: id }, 60)
    const given = { actor: 'olivia', jti: 'x', expiresAt: 1, scope: null, nested: { a: [1] } }
    assert.equal(await adapter.consumeOnce(noted, given), true)
    assert.equal(await adapter.consumeOnce(noted, { actor: 'second' }), false)
    const { consumed, ...rest } = (await adapter.find(noted)) ?? {}
    assertSeconds(consumed)
    assert.deepEqual(rest, { jti: noted, note: given })

    assert.equal(await adapter.consumeOnce(plain), true)
    assert.deepEqual(Object.keys((await adapter.find(plain)) ?? {}).sort(), ['consumed', 'jti'])

    await adapter.consume(late)
    assert.equal(await adapter.consumeOnce(late, { actor: 'late' }), false)
    assert.equal((await adapter.find(late))?.note, undefined, 'a note without its consumption')
    await destroyAll(adapter, [noted, plain, late])
  },
}

const noteOfTheWinner: ContractCase = {
  title: `keeps the note of the one of ${CALLERS} callers at once that consumed, for each of two records`,
  lifecycle: true,
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    const ids = [unique(), unique()]
    await Promise.all(ids.map((id) => adapter.upsert(id, record(id), 60)))
    const callers = Array.from({ length: CALLERS }, (_, by) => `operator-${by}`)
    const winners = await Promise.all(
      callers.flatMap((actor) =>
        ids.map(async (id) => ((await adapter.consumeOnce(id, { actor })) ? { id, actor } : [])),
      ),
    )
    const won = winners.flat().sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))
    assert.deepEqual(
      won.map(({ id }) => id),
      ids,
    )
    for (const { id, actor } of won) assert.deepEqual((await adapter.find(id))?.note, { actor })
    await destroyAll(adapter, ids)
  },
}

const oneEnd: ContractCase = {
  title: `ends a record for exactly one of ${CALLERS} callers at once, consumed or not`,
  lifecycle: true,
  async run({ factory }) {
    for (let round = 0; round < 10; round += 1) {
      const adapter = subjectTokens(factory)
      const id = unique()
      await adapter.upsert(id, record(id), 60)
      if (round % 2) await adapter.consumeOnce(id, { actor: 'olivia' })
      const ended = await Promise.all(
        Array.from({ length: CALLERS }, (_, by) => subjectTokens(factory).endOnce(id, { by })),
      )
      assert.deepEqual(tally(ended), { true: 1, false: CALLERS - 1 })
      assert.deepEqual((await adapter.find(id))?.end, { by: ended.indexOf(true) }, 'the first')
      assert.equal(await adapter.endOnce(id, { by: 'afterwards' }), false)
      assert.deepEqual((await adapter.find(id))?.end, { by: ended.indexOf(true) }, 'it stays')
      await adapter.destroy(id)
    }
  },
}

const neverConsumed: ContractCase = {
  title: 'never consumes a record that has ended; one that was consumed keeps its note',
  lifecycle: true,
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    const [unused, used] = [unique(), unique()]
    for (const id of [unused, used]) await adapter.upsert(id, { jti: id }, 60)
    assert.equal(await adapter.endOnce(unused, { at: 1 }), true)
    assert.equal(await adapter.consumeOnce(unused, { actor: 'olivia' }), false)
    assert.equal(await adapter.consumeOnce(unused), false)
    assert.deepEqual(await adapter.find(unused), { jti: unused, end: { at: 1 } })

    assert.equal(await adapter.consumeOnce(used, { actor: 'olivia' }), true)
    assert.equal(await adapter.endOnce(used, { at: 2 }), true)
    const { consumed, ...rest } = (await adapter.find(used)) ?? {}
    assertSeconds(consumed)
    assert.deepEqual(rest, { jti: used, note: { actor: 'olivia' }, end: { at: 2 } })
    await destroyAll(adapter, [unused, used])
  },
}

const missing: ContractCase = {
  title: 'ends nothing that is not there, and leaves nothing behind by trying',
  lifecycle: true,
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    const id = unique()
    assert.equal(await adapter.endOnce(id, { at: 1 }), false)
    assert.equal(await adapter.find(id), undefined)
    await adapter.upsert(id, record(id), 60)
    assert.equal((await adapter.find(id))?.end, undefined, 'no trace of the earlier attempt')
    assert.equal(await adapter.consumeOnce(id, { actor: 'olivia' }), true)
    assert.equal(await adapter.endOnce(id, { at: 1 }), true)

    await adapter.destroy(id)
    assert.equal(await adapter.endOnce(id, { at: 1 }), false)
    const anew = record(id)
    await adapter.upsert(id, anew, 60)
    assert.deepEqual(await adapter.find(id), anew, 'nothing of the one that was destroyed')
    await adapter.destroy(id)
  },
}

const raced: ContractCase = {
  title: 'consumes first or not at all where a record is consumed and ended at once',
  lifecycle: true,
  async run({ factory }) {
    for (let round = 0; round < 60; round += 1) {
      const adapter = subjectTokens(factory)
      const id = unique()
      const stored = record(id)
      await adapter.upsert(id, stored, 60)
      const consuming = () => adapter.consumeOnce(id, { actor: 'olivia' })
      const ending = () => subjectTokens(factory).endOnce(id, { at: round })
      const calls = Array.from({ length: 6 }, (_, i) => ((i + round) % 2 ? consuming : ending))
      const outcomes = await Promise.all(
        calls.map(async (call, position) => {
          // some start later, so that both orders come up, even when no call waits
          for (let ticks = position % ((round % 4) + 1); ticks > 0; ticks -= 1) await null
          return { call, won: await call() }
        }),
      )
      const wins = outcomes.filter(({ won }) => won).map(({ call }) => call)
      assert.equal(wins.filter((call) => call === ending).length, 1, 'one end')
      const consumptions = wins.filter((call) => call === consuming).length
      assert.ok(consumptions <= 1, 'consumed twice')
      const { consumed, ...rest } = (await adapter.find(id)) ?? {}
      assert.equal(consumed !== undefined, consumptions === 1, 'what was told is what is kept')
      const noted = consumptions === 1 ? { note: { actor: 'olivia' } } : {}
      assert.deepEqual(rest, { ...stored, ...noted, end: { at: round } })
      assert.equal(await consuming(), false, 'afterwards')
      await adapter.destroy(id)
    }
  },
}

const objects: ContractCase = {
  title: 'gives back notes and ends exactly as they were, an own __proto__ among them',
  lifecycle: true,
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    for (const [what, context] of Object.entries(contexts)) {
      const id = unique()
      // parsed from text, so that __proto__ is a key of its own
      const kept = () => JSON.parse(`{"__proto__":{"admin":true},"c":${JSON.stringify(context)}}`)
      await adapter.upsert(id, record(id), 60)
      const [given, ended] = [kept(), kept()]
      assert.equal(await adapter.consumeOnce(id, given), true, what)
      assert.equal(await adapter.endOnce(id, ended), true, what)
      given.c = 'changed by the caller'
      ended.c = 'changed by the caller'
      const found = await adapter.find(id)
      assert.deepEqual(found?.note, kept(), `the note: ${what}`)
      assert.deepEqual(found?.end, kept(), `the end: ${what}`)
      assert.equal(Reflect.get({}, 'admin'), undefined, 'a prototype was changed')
      await adapter.destroy(id)
    }
  },
}

const againstDestroy: ContractCase = {
  title: 'never revives a record that is destroyed while it is ended',
  lifecycle: true,
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    for (let round = 0; round < 10; round += 1) {
      const id = unique()
      const accountId = unique('account')
      await adapter.upsert(id, record(id, { accountId }), 60)
      await Promise.all([
        adapter.endOnce(id, { at: 1 }),
        adapter.destroy(id),
        adapter.endOnce(id, { at: 2 }),
        adapter.consumeOnce(id, { actor: 'olivia' }),
      ])
      assert.equal(await adapter.find(id), undefined, 'endOnce brought the record back')
      assert.deepEqual(await listed(adapter, { accountId }), [])
      assert.equal(await adapter.endOnce(id, { at: 3 }), false)
    }
  },
}

/** `endOnce`, and the note of `consumeOnce`. */
export const endingCases: readonly ContractCase[] = [
  note,
  noteOfTheWinner,
  oneEnd,
  neverConsumed,
  missing,
  raced,
  objects,
  againstDestroy,
]
