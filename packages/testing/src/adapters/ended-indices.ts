import assert from 'node:assert/strict'
import type { AdapterPayload } from 'oidc-provider'
import { statusListId } from 'oidc-provider-impersonation/siblings'
import { casesOfEnding } from './contract-case.ts'
import {
  destroyAll,
  endedIn,
  issued,
  oddStrings,
  record,
  subjectTokens,
} from './impersonation-case.ts'
import { atOnce, unique } from './unique.ts'

const LAST_INDEX = 2 ** 20 - 1

/** `endedIndices`. */
export const endedIndicesCases = casesOfEnding({}, (it) => {
  it('knows the indices of what has ended in a list, consumed or not, and of nothing else', async (adapter, trial) => {
    const [list, other] = [unique('list'), unique('list')]
    const store = (members: AdapterPayload) => trial.store(issued({ statusList: list, ...members }))
    const unused = await store({ statusIndex: 0 })
    const used = await store({ statusIndex: LAST_INDEX })
    await store({ statusIndex: 5 })
    const onlyUsed = await store({ statusIndex: 6 })
    const elsewhere = await store({ statusIndex: 7, statusList: other })
    const nowhere = await store({ statusList: undefined })
    assert.deepEqual(await endedIn(adapter, list), [], 'before any end')

    for (const id of [used, onlyUsed]) await adapter.consumeOnce(id, { actor: 'olivia' })
    assert.deepEqual(await endedIn(adapter, list), [], 'consumed is not ended')
    assert.equal(await adapter.endOnce(unused, { at: 1 }), true)
    assert.deepEqual(await adapter.endedIndices(list), [0])
    for (const id of [used, elsewhere, nowhere]) await adapter.endOnce(id, { at: 1 })
    await adapter.endOnce(used, { at: 2 })
    assert.deepEqual(await endedIn(adapter, list), [0, LAST_INDEX])
    assert.deepEqual(await endedIn(adapter, other), [7])
    assert.deepEqual(await endedIn(adapter, unique('list')), [], 'of a list that is not there')

    await adapter.upsert(used, record(used, { statusList: list, statusIndex: LAST_INDEX }), 60)
    assert.deepEqual(await endedIn(adapter, list), [0, LAST_INDEX], 'once replaced')
  })

  it('shows each of three hundred ends at once to a call that starts once it has resolved', async (adapter, trial) => {
    const list = unique('list')
    const ids = await atOnce(300, (statusIndex) =>
      trial.store(issued({ statusList: list, statusIndex })),
    )
    const missed = await Promise.all(
      ids.map(async (id, index) => {
        await adapter.endOnce(id, { at: index })
        // some of them look; all of them end at the same time
        if (index % 10 !== 0) return false
        return !(await subjectTokens(trial.factory).endedIndices(list)).includes(index)
      }),
    )
    assert.equal(missed.filter(Boolean).length, 0, 'an end that was not seen')
    const expected = Array.from({ length: 300 }, (_, index) => index)
    assert.deepEqual(await endedIn(adapter, list), expected, 'without repetition')
  })

  it('tells status lists apart, whatever characters their names are of', async (adapter, trial) => {
    const lists = oddStrings()
    await atOnce(lists.length, async (statusIndex) => {
      const id = await trial.store(issued({ statusList: lists[statusIndex], statusIndex }))
      await adapter.endOnce(id, { at: 1 })
    })
    for (const [index, list] of lists.entries()) {
      assert.deepEqual(await endedIn(adapter, list), [index], JSON.stringify(list))
    }
  })

  it('knows an index again that the storage lost, once its end is asked for again', async (adapter, trial) => {
    const list = unique('list')
    await adapter.upsert(statusListId(list), { list }, 60)
    const ids = await atOnce(3, (statusIndex) =>
      trial.store(issued({ statusList: list, statusIndex })),
    )
    const [unused = '', used = ''] = ids
    await adapter.consumeOnce(used, { actor: 'olivia' })
    for (const id of [unused, used]) assert.equal(await adapter.endOnce(id, { at: 1 }), true)

    // data that is kept with the record of the list goes with it
    await adapter.destroy(statusListId(list))
    await trial.loseEnded(list)
    for (const id of [unused, used]) {
      assert.equal(await adapter.endOnce(id, { at: 2 }), false, 'an end that was there')
      assert.deepEqual((await adapter.find(id))?.end, { at: 1 }, 'the first end stays')
    }
    assert.deepEqual(await endedIn(adapter, list), [0, 1])
    await destroyAll(adapter, ids)
  })

  it('tells a follower of a list each end that has resolved, and at each call what is new', async (adapter, trial) => {
    const list = unique('list')
    const follower = adapter.followEnded?.(list)
    if (!follower) return
    const store = (statusIndex: number, statusList = list) =>
      trial.store(issued({ statusList, statusIndex }))
    const told = async (of = follower) => [...(await of.next())]
    assert.deepEqual(await told(), [], 'before any end')
    for (const index of [512, 0, LAST_INDEX, 511]) {
      const id = await store(index)
      const [elsewhere, open] = [await store(7, unique('list')), await store(8)]
      if (index === 512) await adapter.consumeOnce(id, { actor: 'olivia' })
      await adapter.endOnce(elsewhere, { at: 1 })
      await adapter.consumeOnce(open, { actor: 'olivia' })
      assert.equal(await adapter.endOnce(id, { at: 1 }), true)
      const indices = await told()
      assert.ok(indices.includes(index), `${index} is not told`)
      assert.ok(!indices.includes(7) && !indices.includes(8), 'what has not ended there')
    }
    const late = adapter.followEnded?.(list) ?? follower
    const all = new Set(await told(late))
    assert.deepEqual(
      [...all].toSorted((a, b) => a - b),
      [0, 511, 512, LAST_INDEX],
    )
  })

  it('tells a follower of a list three hundred ends, while it reads again and again', async (adapter, trial) => {
    const list = unique('list')
    const follower = adapter.followEnded?.(list)
    if (!follower) return
    const ids = await atOnce(300, (statusIndex) =>
      trial.store(issued({ statusList: list, statusIndex })),
    )
    const told = new Set<number>()
    const missed: number[] = []
    let isOver = false
    const reading = (async () => {
      while (!isOver) {
        for (const index of await follower.next()) told.add(index)
        await new Promise((resolve) => setImmediate(resolve))
      }
    })()
    await Promise.all(
      [...ids.entries()].toReversed().map(async ([index, id]) => {
        await adapter.endOnce(id, { at: index })
        if (index % 10 !== 0) return
        // Calls may run at once.
        for (const each of await follower.next()) told.add(each)
        if (!told.has(index)) missed.push(index)
      }),
    )
    isOver = true
    await reading
    for (const index of await follower.next()) told.add(index)
    assert.deepEqual(missed, [], 'told too late')
    assert.equal(told.size, 300)
  })

  it('tells a new follower what the storage lost, once its end is asked for again', async (adapter, trial) => {
    const list = unique('list')
    if (!adapter.followEnded) return
    await adapter.upsert(statusListId(list), { list }, 60)
    const id = await trial.store(issued({ statusList: list, statusIndex: 3 }))
    assert.equal(await adapter.endOnce(id, { at: 1 }), true)
    await adapter.destroy(statusListId(list))
    await trial.loseEnded(list)
    assert.equal(await adapter.endOnce(id, { at: 2 }), false)
    assert.deepEqual([...(await adapter.followEnded(list).next())], [3])
    // A record that replaces an ended one has ended, too.
    await adapter.upsert(id, record(id, { statusList: list, statusIndex: 3, chained: true }), 60)
    assert.deepEqual([...(await adapter.followEnded(list).next())], [3])
  })
})
