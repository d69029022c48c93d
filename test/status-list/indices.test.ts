import { expect } from 'chai'
import { statusIndices } from '../../src/status-list/allocate.ts'
import {
  Drawn,
  expectRejected,
  HOUR,
  ISSUER,
  Store,
  settled,
  TOKEN_LIFE,
} from '../tokens/remembering-store.ts'

/** More than a process has open: drawing so many leases at least one block. */
const MORE_THAN_OPEN = 2048
const LOOK = 5000

describe('status indices', () => {
  it('have names of lists that no subject token has as its id, and that tell nothing', async () => {
    const store = new Store()
    const { list, index } = await store.process().draw()
    expect(list).to.match(/^[\w-]{22}$/)
    expect(index).to.be.within(0, 2 ** 20 - 1)
    expect(await store.adapter.find(list)).to.equal(undefined)
    expect(await store.adapter.list({}, 100)).to.deep.equal([])
  })

  it('of several processes are of one list, where they do not begin in the same moment', async () => {
    const store = new Store()
    const drawn = new Drawn()
    for (let n = 0; n < 10; n += 1) await drawn.from(store.process(), 10)
    expect(drawn.lists.size).to.equal(1)
  })

  it('come in an order that tells nothing', async () => {
    const process = new Store().process()
    await process.draw()
    await settled()
    const draws: number[] = []
    for (let n = 0; n < 4000; n += 1) draws.push((await process.draw()).index)
    const blocks = new Set(draws.slice(0, 100).map((index) => index >>> 9))
    expect(blocks.size).to.be.greaterThan(2)
    // Half of the steps go up, with a standard deviation of 0.5 %.
    const up = draws.filter((index, n) => n > 0 && index > (draws[n - 1] ?? 0)).length
    expect(up / draws.length).to.be.within(0.45, 0.55)
    // Blocks are taken at random as well: the newest are not beyond the oldest.
    expect(Math.min(...draws.slice(-512))).to.be.lessThan(Math.max(...draws.slice(0, 512)))
  })

  describe('cost', () => {
    it('two round trips for 256 draws at most, and some at the start', async () => {
      const store = new Store()
      const process = store.process()
      await process.draw()
      await settled()
      expect(store.calls.length).to.be.lessThan(20)
      store.calls.length = 0
      for (let n = 0; n < 100 * 256; n += 1) await process.draw()
      expect(store.calls.length).to.be.within(100, 200)
    })

    it('no waiting, as long as blocks are open', async () => {
      const store = new Store()
      const process = store.process()
      await process.draw()
      await settled()
      const resume = Promise.withResolvers<void>()
      store.stalled = resume.promise
      const drawn = new Drawn()
      await drawn.from(process, 1500)
      expect(drawn.twice).to.equal(0)
      resume.resolve()
    })

    it('one lease for all who wait', async () => {
      const store = new Store()
      const process = store.process()
      await Promise.all(Array.from({ length: 200 }, () => process.draw()))
      await settled()
      expect(store.calls.length).to.be.lessThan(20)
    })
  })

  describe('at an hour', () => {
    it('come from a new list, and the old one lasts until its last token has expired', async () => {
      const store = new Store()
      const process = store.process()
      const drawn = new Drawn()
      const first = await drawn.from(process, 10)
      store.time += HOUR
      await drawn.from(process, 1)
      await settled()
      const second = await drawn.from(process, 10)
      expect(second).not.to.equal(first)
      expect(await process.vouchFor(first)).to.equal(true)
      // The list is of an hour that had ten minutes gone.
      store.time += (TOKEN_LIFE + 3000 - 3600) * 1000
      expect(await process.vouchFor(first)).to.equal(true)
      expect(await process.lists()).to.have.members([first, second])
      store.time += 301_000
      expect(await process.vouchFor(first)).to.equal(false)
      expect(await process.lists()).to.deep.equal([second])
      expect(drawn.twice).to.equal(0)
    })

    it('do not wait for the new list, and are not refused while it cannot be had', async () => {
      const store = new Store()
      const process = store.process()
      const drawn = new Drawn()
      const first = await drawn.from(process, 1)
      await settled()
      store.broken.add('upsert')
      store.time += 50 * 60_000 + 30_000
      expect(await drawn.from(process, 5)).to.equal(first)
      await settled()
      // Not for long: the list has to last longer than its tokens.
      store.time += 60_000
      await expectRejected(process.draw(), /upsert/)
      store.broken.clear()
      expect(await drawn.from(process, 1)).not.to.equal(first)
    })

    it('are given out once by processes whose clocks differ', async () => {
      const store = new Store()
      store.time += 50 * 60_000 - 5000
      const fast = store.process({ ahead: 120_000 })
      const slow = store.process({ ahead: -120_000 })
      const drawn = new Drawn()
      for (let n = 0; n < 60; n += 1) {
        await drawn.from(fast, 100)
        await drawn.from(slow, 100)
        store.time += 10_000
        await settled()
      }
      expect(drawn.twice).to.equal(0)
      for (const list of drawn.lists.keys()) {
        expect(await fast.vouchFor(list)).to.equal(true)
        expect(await slow.vouchFor(list)).to.equal(true)
      }
    })

    it('are drawn again after the clock was set back, or far ahead', async () => {
      const store = new Store()
      const process = store.process()
      const drawn = new Drawn()
      for (const hours of [0, -1, 5, -8, 3]) {
        store.time += hours * HOUR
        await drawn.from(process, 100)
      }
      expect(drawn.twice).to.equal(0)
    })
  })

  describe('when the store fails', () => {
    it('are refused, and drawn again afterwards', async () => {
      for (const method of ['find', 'upsert', 'consumeOnce']) {
        const store = new Store()
        const process = store.process()
        store.broken.add(method)
        await expectRejected(process.draw(), new RegExp(method))
        store.broken.clear()
        await process.draw()
      }
    })

    it('are drawn again, also where a lease is never answered', async () => {
      const store = new Store()
      const process = store.process()
      const never = Promise.withResolvers<void>()
      store.stalled = never.promise
      const lost = process.draw()
      await settled()
      store.stalled = undefined
      store.time += 4999
      const joined = process.draw()
      await settled()
      store.time += 1
      const drawn = new Drawn()
      drawn.add(await process.draw())
      // What is answered late is good, and is no other's.
      never.resolve()
      for (const each of [lost, joined]) drawn.add(await each)
      await drawn.from(process, 5000)
      expect(drawn.twice).to.equal(0)
    })

    it('are drawn from what is open, and no list is given up for it', async () => {
      const store = new Store()
      const process = store.process()
      const drawn = new Drawn()
      const list = await drawn.from(process, 1)
      await settled()
      for (const method of ['find', 'upsert', 'consumeOnce', 'destroy']) store.broken.add(method)
      for (let n = 0; n < 5; n += 1) {
        store.time += LOOK
        expect(await drawn.from(process, 100)).to.equal(list)
        await settled()
      }
      await expectRejected(process.vouchFor(list), /find/)
      await expectRejected(process.lists(), /find/)
      await expectRejected(drawn.from(process, MORE_THAN_OPEN), /the storage failed/)
      store.broken.clear()
      expect(await drawn.from(process, MORE_THAN_OPEN)).to.equal(list)
      expect(await process.vouchFor(list)).to.equal(true)
      expect(drawn.twice).to.equal(0)
    })

    it('are refused where it does not say whose a block is', async () => {
      const store = new Store()
      const adapter = store.adapter
      const vague = Object.create(adapter, {
        consumeOnce: { value: async () => 'perhaps' },
      }) as typeof adapter
      const process = statusIndices(vague, { issuer: ISSUER, tokenLife: TOKEN_LIFE })
      await expectRejected(process.draw(), /consumeOnce/)
    })
  })
})
