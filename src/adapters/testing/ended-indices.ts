import assert from 'node:assert/strict'
import type { ContractCase } from './contract-case.ts'
import { destroyAll, endedIn, oddStrings, record, subjectTokens } from './lifecycle.ts'
import { unique } from './unique.ts'

const LAST_INDEX = 2 ** 20 - 1

const known: ContractCase = {
  title: 'knows the indices of what has ended in a list, consumed or not, and of nothing else',
  lifecycle: true,
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    const [list, other] = [unique('list'), unique('list')]
    const ids: string[] = []
    const store = async (members: object) => {
      const id = unique()
      ids.push(id)
      await adapter.upsert(id, record(id, { statusList: list, ...members }), 60)
      return id
    }
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
    await adapter.destroy(used)
    assert.deepEqual(await endedIn(adapter, list), [0], 'gone with its record')
    await destroyAll(adapter, ids)
  },
}

const seen: ContractCase = {
  title: 'shows each of three hundred ends at once to a call that starts once it has resolved',
  lifecycle: true,
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    const list = unique('list')
    const ids = Array.from({ length: 300 }, () => unique())
    await Promise.all(
      ids.map((id, statusIndex) =>
        adapter.upsert(id, record(id, { statusList: list, statusIndex }), 60),
      ),
    )
    const missed = await Promise.all(
      ids.map(async (id, index) => {
        await adapter.endOnce(id, { at: index })
        // some of them look; all of them end at the same time
        if (index % 10 !== 0) return false
        return !(await subjectTokens(factory).endedIndices(list)).includes(index)
      }),
    )
    assert.equal(missed.filter(Boolean).length, 0, 'an end that was not seen')
    const expected = Array.from({ length: 300 }, (_, index) => index)
    assert.deepEqual(await endedIn(adapter, list), expected, 'without repetition')
    await destroyAll(adapter, ids)
  },
}

const odd: ContractCase = {
  title: 'tells status lists apart, whatever characters their names are of',
  lifecycle: true,
  async run({ factory }) {
    const adapter = subjectTokens(factory)
    const lists = oddStrings()
    const ids = lists.map(() => unique())
    await Promise.all(
      ids.map(async (id, statusIndex) => {
        await adapter.upsert(id, record(id, { statusList: lists[statusIndex], statusIndex }), 60)
        await adapter.endOnce(id, { at: 1 })
      }),
    )
    for (const [index, list] of lists.entries()) {
      assert.deepEqual(await endedIn(adapter, list), [index], JSON.stringify(list))
    }
    await destroyAll(adapter, ids)
  },
}

/** `endedIndices`. */
export const endedIndicesCases: readonly ContractCase[] = [known, seen, odd]
