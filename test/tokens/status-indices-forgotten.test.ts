import { expect } from 'chai'
import { Drawn, expectRejected, HOUR, Store, settled } from './remembering-store.ts'

/** More than a process has open: drawing so many leases at least one block. */
const MORE_THAN_OPEN = 2048
const LOOK = 5000

describe('status indices when the store forgets', () => {
  it('everything: none is given out twice, and the list of before is gone', async () => {
    const store = new Store()
    const processes = [store.process(), store.process()]
    const drawn = new Drawn()
    const before = new Set<string>()
    for (const process of processes) before.add(await drawn.from(process, 5000))
    store.wipe()
    for (const process of processes) await drawn.from(process, 5000)
    for (const process of processes) {
      for (const list of before) expect(await process.vouchFor(list)).to.equal(false)
      expect(before.has(await drawn.from(process, 1))).to.equal(false)
    }
    expect(drawn.twice).to.equal(0)
  })

  it('everything, while little is drawn: found within five seconds', async () => {
    const store = new Store()
    const process = store.process()
    const drawn = new Drawn()
    const before = await drawn.from(process, 10)
    await settled()
    store.wipe()
    store.time += LOOK
    await drawn.from(process, 1)
    await settled()
    expect(await drawn.from(process, 1)).not.to.equal(before)
  })

  it('the time since a snapshot: lists of before are gone, in every process', async () => {
    const store = new Store()
    const [one, other] = [store.process(), store.process()]
    const drawn = new Drawn()
    const oldest = await drawn.from(one, 1)
    store.time += HOUR
    await drawn.from(one, 100)
    await settled()
    const before = await drawn.from(one, 100)
    expect(await drawn.from(other, 100)).to.equal(before)
    await settled()
    const restore = store.snapshot()
    await drawn.from(one, MORE_THAN_OPEN)
    await restore()
    expect(await other.vouchFor(before), 'the other process cannot know').to.equal(true)
    expect(await one.vouchFor(before)).to.equal(false)
    for (const process of [one, other]) {
      expect(await process.vouchFor(before)).to.equal(false)
      expect(await process.vouchFor(oldest), 'ends may be forgotten too').to.equal(false)
    }
    store.time += LOOK
    await drawn.from(other, 1)
    await settled()
    const after = await drawn.from(other, 100)
    expect(after).not.to.equal(before)
    expect(await drawn.from(one, 100)).to.equal(after)
    expect(drawn.twice).to.equal(0)
  })

  it('a lease: the next one shows it, and is not used', async () => {
    const store = new Store()
    const process = store.process()
    const drawn = new Drawn()
    const before = await drawn.from(process, 1)
    await settled()
    const restore = store.snapshot()
    await drawn.from(process, 600)
    await settled()
    await restore()
    // Within the five seconds: no look but that of the lease itself.
    const after = await drawn.from(process, MORE_THAN_OPEN)
    expect(after).not.to.equal(before)
    expect(await process.vouchFor(before)).to.equal(false)
    expect(drawn.twice).to.equal(0)
  })

  it('while a process takes up a list that another one began', async () => {
    const store = new Store()
    const drawn = new Drawn()
    const before = await drawn.from(store.process(), 1)
    await settled()
    store.onCall = (method) => {
      if (method === 'upsert') store.wipe()
      if (method === 'upsert') store.onCall = undefined
    }
    expect(await drawn.from(store.process(), 1)).not.to.equal(before)
  })

  it('and two processes find that, one late: the list of the time after stays', async () => {
    const store = new Store()
    const [one, other] = [store.process(), store.process()]
    const drawn = new Drawn()
    await drawn.from(one, 1)
    await drawn.from(other, 1)
    await settled()
    const restore = store.snapshot()
    await drawn.from(one, 600)
    await drawn.from(other, 600)
    await settled()
    store.time += 1000
    await restore()
    store.time += LOOK
    await drawn.from(one, MORE_THAN_OPEN)
    const after = await drawn.from(one, 1)
    store.time += LOOK
    await drawn.from(other, 1)
    await settled()
    expect(await drawn.from(other, 1)).to.equal(after)
    expect(await one.vouchFor(after)).to.equal(true)
  })

  it('and cannot be written then: no index, and no list, until the old ones are gone', async () => {
    const store = new Store()
    const process = store.process()
    const drawn = new Drawn()
    const before = await drawn.from(process, 1)
    await settled()
    const restore = store.snapshot()
    await drawn.from(process, 600)
    await settled()
    await restore()
    store.broken.add('destroy')
    await expectRejected(process.vouchFor(before), /destroy/)
    await expectRejected(process.draw(), /destroy/)
    store.broken.clear()
    expect(await drawn.from(process, 1)).not.to.equal(before)
    expect(await process.vouchFor(before)).to.equal(false)
  })
})
