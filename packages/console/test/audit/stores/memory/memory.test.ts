import { expect } from 'chai'
import type { RowFilter } from '../../../../src/audit/store.ts'
import { createMemoryAudit } from '../../../../src/audit/stores/memory/index.ts'
import { act, exported, found, idOf, issued, namesOf, put, readOn, T } from '../contract/support.ts'
import { describeAuditStore } from '../contract.ts'

describeAuditStore('memory', () => {
  // Connections of one process share the one store.
  const store = createMemoryAudit()
  return { connect: () => store, dispose: async () => {} }
})

describe('the memory audit', () => {
  it('keeps as many rows as it has capacity for: the oldest go, but for those on hold', async () => {
    const store = createMemoryAudit({ capacity: 3 })
    const names = ['a', 'b', 'c', 'd', 'e']
    await put(store, issued('a', T), act('held', 'a', T + 1), issued('b', T + 2))
    for (const [index, name] of ['c', 'd', 'e'].entries())
      await put(store, issued(name, T + 3 + index))
    expect(await namesOf(store, names)).to.deep.equal(['e', 'd', 'a'])
    expect(await store.timeline(idOf('b'), { limit: 9 })).to.deep.equal([])
    expect(await readOn(store)).to.have.length(6)
    await put(store, ...Array.from({ length: 6 }, () => exported(T)))
    const kept = (await readOn(store)).filter(
      ({ row, text }) => row === undefined && text !== undefined,
    )
    // The first of its chain, and the newest three.
    expect(kept).to.have.length(4)
  })

  it('has room for 10,000 rows, and finds the newest page of any filter', async function () {
    this.timeout(20_000)
    const store = createMemoryAudit()
    for (let from = 0; from < 10_001; from += 500) {
      const names = Array.from({ length: 500 }, (_, index) => from + index).filter(
        (n) => n < 10_001,
      )
      await put(store, ...names.map((number) => issued(`${number}`, T + number)))
    }
    expect(await found(store, {}, { limit: 1000 })).to.have.length(10_000)
    const newest = async (filter: RowFilter) => {
      const { rows } = await store.find(filter, { limit: 2, now: T })
      return rows.map(({ id }) => id)
    }
    expect(await newest({})).to.deep.equal([idOf('10000'), idOf('9999')])
    expect(await newest({ to: T + 5000 })).to.deep.equal([idOf('4999'), idOf('4998')])
    expect(await newest({ text: 'nothing like it' })).to.deep.equal([])
  })

  it('refuses options that are out of bounds', () => {
    for (const capacity of [0, -1, 1.5, Number.NaN]) {
      expect(() => createMemoryAudit({ capacity })).to.throw(TypeError, 'capacity')
    }
    for (const keepFor of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => createMemoryAudit({ keepFor })).to.throw(TypeError, 'keepFor')
    }
    expect(createMemoryAudit({ keepFor: 60 }).keepFor).to.equal(60)
  })
})
