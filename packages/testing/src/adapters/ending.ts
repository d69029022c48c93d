import assert from 'node:assert/strict'
import { CALLER_COUNT } from './consuming.ts'
import { casesOfEnding } from './contract-case.ts'
import { issued, listed, record, subjectTokens } from './impersonation-case.ts'
import { contexts } from './payloads.ts'
import { assertSeconds } from './storing.ts'
import { atOnce, unique } from './unique.ts'

/** `endOnce`, and the note of `consumeOnce`. */
export const endingCases = casesOfEnding({}, (it) => {
  it('keeps the note of the one that consumed a record, and finds it there', async (adapter, trial) => {
    const { store } = trial
    const [noted, plain, late] = [await store(), await store(), await store()]
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
  })

  it(`keeps the note of the one of ${CALLER_COUNT} callers at once that consumed, for each of two records`, async (adapter, trial) => {
    const ids = await atOnce(2, () => trial.store(issued()))
    const callers = Array.from({ length: CALLER_COUNT }, (_, by) => `operator-${by}`)
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
  })

  it('never consumes a record that has ended; one that was consumed keeps its note', async (adapter, trial) => {
    const [unused, used] = [await trial.store(), await trial.store()]
    assert.equal(await adapter.endOnce(unused, { at: 1 }), true)
    assert.equal(await adapter.consumeOnce(unused, { actor: 'olivia' }), false)
    assert.equal(await adapter.consumeOnce(unused), false)
    assert.deepEqual(await adapter.find(unused), { jti: unused, end: { at: 1 } })

    assert.equal(await adapter.consumeOnce(used, { actor: 'olivia' }), true)
    assert.equal(await adapter.endOnce(used, { at: 2 }), true)
    const { consumed, ...rest } = (await adapter.find(used)) ?? {}
    assertSeconds(consumed)
    assert.deepEqual(rest, { jti: used, note: { actor: 'olivia' }, end: { at: 2 } })
  })

  it('ends nothing that is not there, and leaves nothing behind by trying', async (adapter, trial) => {
    const id = trial.newId()
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
  })

  it('consumes first or not at all where a record is consumed and ended at once', async (adapter, trial) => {
    for (let round = 0; round < 60; round += 1) {
      const stored = issued()
      const id = await trial.store(stored)
      const consuming = () => adapter.consumeOnce(id, { actor: 'olivia' })
      const ending = () => subjectTokens(trial.factory).endOnce(id, { at: round })
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
      assert.equal(consumed !== undefined, consumptions === 1, 'what was resolved is what is kept')
      const noted = consumptions === 1 ? { note: { actor: 'olivia' } } : {}
      assert.deepEqual(rest, { jti: id, ...stored, ...noted, end: { at: round } })
      assert.equal(await consuming(), false, 'afterwards')
    }
  })

  it('gives back notes and ends exactly as they were, an own __proto__ among them', async (adapter, trial) => {
    for (const [what, context] of Object.entries(contexts)) {
      const id = await trial.store(issued())
      // parsed from text, so that __proto__ is a key of its own
      const kept = () => JSON.parse(`{"__proto__":{"admin":true},"c":${JSON.stringify(context)}}`)
      const [given, ended] = [kept(), kept()]
      assert.equal(await adapter.consumeOnce(id, given), true, what)
      assert.equal(await adapter.endOnce(id, ended), true, what)
      given.c = 'changed by the caller'
      ended.c = 'changed by the caller'
      const found = await adapter.find(id)
      assert.deepEqual(found?.note, kept(), `the note: ${what}`)
      assert.deepEqual(found?.end, kept(), `the end: ${what}`)
      assert.equal(Reflect.get({}, 'admin'), undefined, 'a prototype was changed')
    }
  })

  it('never revives a record that is destroyed while it is ended', async (adapter, trial) => {
    for (let round = 0; round < 10; round += 1) {
      const accountId = unique('account')
      const id = await trial.store(issued({ accountId }))
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
  })
})
