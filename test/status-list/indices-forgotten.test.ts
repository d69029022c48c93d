import { expect } from 'chai'
import { StatusRecords } from '../../src/status-list/records.ts'
import { Drawn, expectRejected, HOUR, ISSUER, Store, settled } from '../tokens/remembering-store.ts'

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
    await settled()
    store.calls.length = 0
    await one.vouchFor(after)
    expect(store.calls, 'all is well again').to.deep.equal(['find', 'find'])
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

  it('that a block was consumed, though not the block', async () => {
    const store = new Store()
    const process = store.process()
    let restore: (() => Promise<void>) | undefined
    store.onCall = (method) => {
      if (method === 'consumeOnce') restore = store.snapshot()
    }
    const { list } = await process.draw()
    await settled()
    await restore?.()
    expect(await process.vouchFor(list)).to.equal(false)
  })

  it('I14: the leases of one list alone, as a server of a cluster does: that list is gone, a newer one stays', async () => {
    const store = new Store()
    const process = store.process()
    const drawn = new Drawn()
    const blocks: string[] = []
    store.onCall = (method, id) => {
      if (method === 'consumeOnce') blocks.push(String(id))
    }
    const older = await drawn.from(process, 1)
    await settled()
    store.time += HOUR
    await drawn.from(process, 1)
    await settled()
    const newer = await drawn.from(process, 1)
    expect(newer).not.to.equal(older)
    for (const id of blocks.filter((id) => id.includes(older))) await store.adapter.destroy(id)
    expect(await process.vouchFor(older)).to.equal(false)
    expect(await process.vouchFor(newer)).to.equal(true)
    expect(await process.lists()).to.deep.equal([newer])
  })

  it('I14: and of a list that is older than the tokens of this process can be: it is gone, too', async () => {
    const store = new Store()
    const long = store.process({ tokenLife: 10 * 3600 })
    const { list } = await long.draw()
    await settled()
    store.time += 5 * HOUR
    const short = store.process({ tokenLife: 60 })
    const restore = store.snapshot()
    await new Drawn().from(short, 1)
    await settled()
    expect(await short.lists()).to.include(list)
    await restore()
    expect(await short.vouchFor(list)).to.equal(false)
    expect(await store.process({ tokenLife: 10 * 3600 }).exists(list)).to.equal(false)
  })

  it('I14: and of a list that was made in the same millisecond: it is gone, too', async () => {
    const store = new Store()
    const list = await new Drawn().from(store.process({ tokenLife: 60 }), 1)
    await settled()
    const restore = store.snapshot()
    const long = store.process()
    const { list: newest } = await long.draw()
    expect(newest).not.to.equal(list)
    await settled()
    await restore()
    expect(await long.vouchFor(newest)).to.equal(false)
    expect(await store.process().exists(list)).to.equal(false)
  })

  it('I14: a lease, and that its list was named: that list is gone', async () => {
    const store = new Store()
    const process = store.process()
    const forgotten = new Set<string>()
    store.onCall = (method, id) => {
      if (method === 'consumeOnce' || String(id).startsWith('status-lists:'))
        forgotten.add(String(id))
    }
    const { list } = await process.draw()
    await settled()
    for (const id of forgotten) await store.adapter.destroy(id)
    expect(await process.vouchFor(list)).to.equal(false)
    expect(await store.process().exists(list)).to.equal(false)
  })

  it('what has had its time: lists that last longer stay', async () => {
    const store = new Store()
    const drawn = new Drawn()
    const long = store.process({ tokenLife: 10 * 3600 })
    const list = await drawn.from(long, 1)
    await settled()
    store.time += HOUR
    const short = store.process({ tokenLife: 60 })
    await drawn.from(short, 1)
    await settled()
    store.time += 3 * HOUR
    expect(await short.vouchFor(list)).to.equal(true)
    expect(await long.vouchFor(list)).to.equal(true)
  })

  it('what has had its time: of the hour before, leased when others had begun a new hour', async () => {
    const store = new Store()
    store.time += HOUR - (store.time % HOUR) + 5000
    // In the first ten seconds of an hour, each turns to the new hour at a moment of its own.
    const processes = Array.from({ length: 24 }, () => store.process())
    const lists = new Set<string>()
    for (const process of processes) lists.add((await process.draw()).list)
    await settled()
    expect(lists.size).to.equal(2)
    // The list of the hour before is gone, its leases as well; a token of the new list may live.
    store.time += 81 * 60_000
    const live = (await processes[0]?.lists()) ?? []
    expect(live).to.have.length(1)
    for (const process of processes) expect(await process.vouchFor(String(live[0]))).to.equal(true)
  })

  it('what has had its time: in a list of a process whose tokens last longer', async () => {
    const store = new Store()
    const long = store.process({ tokenLife: 10 * 3600 })
    const { list } = await long.draw()
    await settled()
    const short = store.process({ tokenLife: 60 })
    expect((await short.draw()).list).to.equal(list)
    await settled()
    store.time += 2 * HOUR
    expect(await short.vouchFor(list)).to.equal(true)
    expect(await long.vouchFor(list)).to.equal(true)
  })

  it('what has had its time: a block that a process with a shorter time asked for in vain', async () => {
    const store = new Store()
    const long = store.process({ tokenLife: 10 * 3600 })
    const { list } = await long.draw()
    await settled()
    const blocks = new Set<string>()
    store.onCall = (method, id) => {
      if (method === 'find' && String(id).startsWith('status-block:')) blocks.add(String(id))
    }
    expect(await long.vouchFor(list)).to.equal(true)
    store.onCall = undefined
    const records = new StatusRecords(store.adapter, {
      issuer: ISSUER,
      tokenLife: 60,
      now: () => store.time,
    })
    const record = await records.find(list)
    expect(blocks.size).to.equal(1)
    for (const id of blocks) {
      expect(await records.lease(record ?? expect.fail(), Number(id.split(':').at(-1)))).to.equal(
        undefined,
      )
    }
    store.time += 2 * HOUR
    expect(await long.vouchFor(list)).to.equal(true)
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
