import assert from 'node:assert/strict'
import { CALLER_COUNT, tally } from './consuming.ts'
import { casesOfEnding } from './contract-case.ts'
import { endedIn, issued, listed, record } from './impersonation-case.ts'
import { atOnce, unique } from './unique.ts'

/**
 * Consumptions and ends that stay, and for how long. Two cases wait a second without `advance`.
 */
export const stayingEndedCases = casesOfEnding({}, (it) => {
  it('keeps consumption, note and end of a record, whatever replaces it', async (adapter, trial) => {
    const [used, unused] = [await trial.store(issued()), await trial.store(issued())]
    await adapter.consumeOnce(used, { actor: 'olivia' })
    const since = (await adapter.find(used))?.consumed
    for (const id of [used, unused]) await adapter.endOnce(id, { at: 1 })
    const fates = [
      [used, { consumed: since, note: { actor: 'olivia' }, end: { at: 1 } }],
      [unused, { end: { at: 1 } }],
    ] as const
    for (const [id, fate] of fates) {
      const replacement = record(id, { replaced: true })
      await adapter.upsert(id, replacement, 60)
      assert.deepEqual(await adapter.find(id), { ...replacement, ...fate })
      assert.equal(await adapter.consumeOnce(id, { actor: 'second' }), false)
      assert.equal(await adapter.endOnce(id, { at: 2 }), false)
      assert.deepEqual(await adapter.find(id), { ...replacement, ...fate })
    }
  })

  it(`ends a record for exactly one of ${CALLER_COUNT} that each write it and then end it`, async (adapter, trial) => {
    for (let round = 0; round < 5; round += 1) {
      const id = trial.newId()
      const ended = await atOnce(CALLER_COUNT, async (by) => {
        for (let ticks = by % (round + 1); ticks > 0; ticks -= 1) await null
        await adapter.upsert(id, { jti: id, accountId: 'alice' }, 60)
        return adapter.endOnce(id, { by })
      })
      assert.deepEqual(tally(ended), { true: 1, false: CALLER_COUNT - 1 })
      assert.deepEqual((await adapter.find(id))?.end, { by: ended.indexOf(true) })
    }
  })

  it('keeps the expiry when a record ends, and brings back nothing that is over', async (adapter, trial) => {
    const list = unique('list')
    const names = ['ended', 'consumed, then ended', 'neither'] as const
    const ids = names.map((name) => ({ name, id: trial.newId() }))
    const stored = (id: string, statusIndex: number) =>
      record(id, { accountId: list, actor: list, statusList: list, statusIndex })
    for (const [i, { id }] of ids.entries()) await adapter.upsert(id, stored(id, i), 1)
    for (const { name, id } of ids) {
      if (name === 'consumed, then ended') await adapter.consumeOnce(id, { actor: list })
      if (name !== 'neither') assert.equal(await adapter.endOnce(id, { at: 1 }), true, name)
    }
    await trial.elapse(1)
    assert.deepEqual(await listed(adapter, { accountId: list }), [], 'listed after the expiry')
    assert.deepEqual(await listed(adapter, { actor: list }), [], 'by actor after the expiry')
    for (const { name, id } of ids) {
      assert.equal(await adapter.endOnce(id, { at: 2 }), false, name)
      assert.equal(await adapter.find(id), undefined, name)
    }
    for (const { name, id } of ids) {
      await adapter.upsert(id, record(id), 60)
      const { note, end, consumed } = (await adapter.find(id)) ?? {}
      const nothing = { note: undefined, end: undefined, consumed: undefined }
      assert.deepEqual({ note, end, consumed }, nothing, `a new record under the id of: ${name}`)
      assert.equal(await adapter.consumeOnce(id), true, name)
    }
  })

  it('keeps a record ended, listed and its index known for the whole of a longer life', async (adapter, trial) => {
    const [id, other] = [trial.newId(), trial.newId()]
    const [list, account, actor] = [unique('list'), unique('account'), unique('actor')]
    const members = { accountId: account, statusList: list, statusIndex: 7 }
    await adapter.upsert(id, record(id, members), 1)
    await adapter.consumeOnce(id, { actor })
    await adapter.endOnce(id, { at: 1 })
    // the last record written expires first, and takes nothing with it
    await adapter.upsert(id, record(id, members), 60)
    await adapter.upsert(other, record(other, { ...members, actor, statusIndex: 8 }), 1)
    await adapter.endOnce(other, { at: 1 })
    await trial.elapse(1)
    assert.equal(await adapter.consumeOnce(id), false)
    assert.deepEqual((await adapter.find(id))?.end, { at: 1 })
    assert.deepEqual(await listed(adapter, { accountId: account }), [id])
    assert.deepEqual(await listed(adapter, { actor }), [id], 'by the actor of the note')
    assert.ok((await endedIn(adapter, list)).includes(7))
  })
})
