import { expect } from 'chai'
import { statusListId } from '../../src/adapters/record.ts'
import { type StatusIndices, statusIndices } from '../../src/status-list/allocate.ts'
import { Drawn, expectRejected, HOUR, ISSUER, Store, settled, TOKEN_LIFE } from './store.ts'

const COUNT = 5000

describe('status indices', () => {
  let store: Store
  let drawn: Drawn

  beforeEach(() => {
    store = new Store()
    drawn = new Drawn()
  })

  // draft-ietf-oauth-status-list-21, section 13.3:
  // "The Status Issuer MUST prevent any unintended double allocation."
  it('are drawn at random, each once, until the list is full, and then from the next one', async () => {
    const process = store.process()
    let up = 0
    for (let before = 0, n = 0; n < 2 ** 20; n += 1) {
      const next = await process.draw()
      drawn.add(next)
      if (n < 4000 && next.index > before) up += 1
      before = next.index
    }
    // Half of the steps go up, with a standard deviation of 0.5 %.
    expect(up / 4000).to.be.within(0.45, 0.55)
    expect([drawn.lists.size, drawn.twice]).to.deep.equal([1, 0])
    await drawn.from(process, 1)
    expect(drawn.lists.size).to.equal(2)
  })

  it('are given out once: in two processes, after a restart, of a store that is wiped or restored', async () => {
    const processes = [store.process(), store.process()]
    const all = async () => {
      for (const process of processes) await drawn.from(process, 5000)
      store.time += COUNT
      await settled()
    }
    await all()
    processes.push(store.process())
    const restore = store.snapshot()
    await all()
    store.wipe()
    await all()
    await restore()
    await all()
    expect(drawn.twice).to.equal(0)
  })

  it('cost two calls at the start, and a count and two looks every five seconds', async () => {
    const process = store.process()
    const ids = new Set<unknown>()
    store.onCall = (_, id) => ids.add(id)
    await Promise.all(Array.from({ length: 200 }, () => process.draw()))
    expect(store.calls).to.deep.equal(['upsert', 'upsert'])
    for (let n = 0; n < 5; n += 1) {
      store.calls.length = 0
      store.time += COUNT
      await drawn.from(process, 1000)
      await settled()
      expect(store.calls).to.deep.equal(['upsert', 'find', 'find'])
    }
    expect(ids.size, 'the record of the list, and two of counts').to.equal(3)
  })

  it('come from a new list every hour, which is waited for only when the hour is over', async () => {
    const process = store.process()
    const first = await drawn.from(process, 1)
    store.broken.add('upsert')
    store.time += HOUR - 1000
    expect(await drawn.from(process, 5)).to.equal(first)
    store.time += 1000
    await expectRejected(process.draw(), /upsert/)
    store.broken.clear()
    const second = await drawn.from(process, 1)
    store.time += HOUR - 1000
    await drawn.from(process, 1)
    await settled()
    const third = await drawn.from(process, 1)
    expect(await process.lists()).to.have.members([first, second, third])
  })

  it('I14: are of lists that last as long as their tokens, whatever the process and its clock', async () => {
    for (const ahead of [-300_000, 0, 300_000]) {
      for (const tokenLife of [60, TOKEN_LIFE, 90_000]) {
        const process = store.process({ tokenLife, ahead })
        const others = [store.process(), store.process({ ahead: 300_000, tokenLife: 60 })]
        for (const each of [process, ...others]) await each.draw()
        store.time += HOUR - 1
        const { list } = await process.draw()
        // Five minutes from the draw to the issue.
        store.time += 300_000 + tokenLife * 1000
        for (const each of [process, ...others]) expect(await each.vouchFor(list)).to.equal(true)
        store.time += 1
        expect(await process.exists(list)).to.equal(false)
      }
    }
  })

  it('are drawn again after the storage never answered', async () => {
    const process = store.process()
    const never = Promise.withResolvers<void>()
    store.stalled = never.promise
    const lost = process.draw()
    await settled()
    store.stalled = undefined
    store.time += COUNT
    drawn.add(await process.draw())
    never.resolve()
    drawn.add(await lost)
    expect([drawn.lists.size, drawn.twice]).to.deep.equal([2, 0])
  })

  it('are of lists with names that tell nothing, found with 150 processes and by their issuer alone', async () => {
    for (let n = 0; n < 150; n += 1) await drawn.from(store.process(), 1)
    const names = [...drawn.lists.keys()]
    const [list = ''] = names
    const theirs = store.process({ issuer: 'https://other.example' })
    await theirs.draw()
    expect(await store.process().lists()).to.have.members(names)
    expect(await theirs.exists(list)).to.equal(false)
    expect(list).to.match(/^[\w-]{22}$/)
    // A store that ignores case.
    const find = () => store.adapter.find(statusListId(list))
    const adapter = Object.create(store.adapter, { find: { value: find } })
    const folding = statusIndices(adapter, { issuer: ISSUER, tokenLife: 60 })
    expect(await folding.exists(list.toUpperCase())).to.equal(false)
    expect(await store.adapter.list({}, 100)).to.deep.equal([])
  })

  describe('and a store that forgets', () => {
    let process: StatusIndices
    let list: string
    beforeEach(async () => {
      ;({ process, list } = await counting())
    })

    /** A process that has drawn and counted, and its list. */
    async function counting() {
      const process = store.process()
      const list = await drawn.from(process, 1)
      await count(process)
      return { process, list }
    }
    /** Lets a process draw, and count. */
    async function count(process: { draw(): Promise<unknown> }, after = COUNT) {
      store.time += after
      await process.draw()
      await settled()
    }

    it('everything: the list is left within five seconds, and all is well again', async () => {
      store.wipe()
      await count(process)
      const after = await drawn.from(process, 1)
      expect(after).not.to.equal(list)
      store.calls.length = 0
      expect(await process.vouchFor(after)).to.equal(true)
      expect(store.calls).to.deep.equal(['find', 'find'])
    })

    it('the time since a snapshot: I14: lists of before are gone in every process, and no newer one', async () => {
      store.time += COUNT - 1
      const other = store.process({ ahead: 5000 })
      const theirs = await drawn.from(other, 1)
      const restore = store.snapshot()
      await count(process, 1)
      await restore()
      expect(await other.vouchFor(theirs), 'the other process cannot know').to.equal(true)
      expect(await process.vouchFor(list)).to.equal(false)
      for (const each of [list, theirs]) expect(await process.exists(each)).to.equal(false)
      await count(other)
      const after = [await drawn.from(process, 1), await drawn.from(other, 1)]
      for (const each of after) expect(await process.vouchFor(each)).to.equal(true)
    })

    it('between two counts, while the second one is written', async () => {
      store.onCall = () => {
        store.wipe()
        store.onCall = undefined
      }
      await count(process)
      expect(await drawn.from(process, 1)).not.to.equal(list)
    })

    it('after an hour in which lists were served, and nothing was issued', async () => {
      let restore = store.snapshot()
      for (let minute = 0; minute < 60; minute += 1) {
        restore = store.snapshot()
        store.time += 60_000
        expect(await process.vouchFor(list)).to.equal(true)
        await settled()
      }
      await restore()
      expect(await process.vouchFor(list)).to.equal(false)
    })

    it('though the clock was set back: I14: all lists of before are gone', async () => {
      const other = await counting()
      store.time -= HOUR / 2
      const restore = store.snapshot()
      await count(process, 0)
      expect(await process.vouchFor(list)).to.equal(true)
      await restore()
      await count(process, -HOUR / 4)
      for (const each of [list, other.list]) expect(await process.exists(each)).to.equal(false)
      expect(await drawn.from(process, 1)).not.to.equal(list)
    })

    it('a list that another process withdrew is not drawn from, and no write brings it back', async () => {
      const resume = Promise.withResolvers<void>()
      store.stalled = resume.promise
      await count(process)
      store.stalled = undefined
      const finder = await counting()
      const restore = store.snapshot()
      await count(finder.process)
      await restore()
      expect(await finder.process.vouchFor(list)).to.equal(false)
      resume.resolve()
      await settled()
      expect(await process.exists(list)).to.equal(false)
      expect(await drawn.from(process, 1)).not.to.equal(list)
    })

    it('and cannot be written then: no list is served until the old ones are withdrawn', async () => {
      const restore = store.snapshot()
      await count(process)
      await restore()
      store.broken.add('consume')
      await expectRejected(process.vouchFor(list), /consume/)
      store.broken.clear()
      expect(await process.vouchFor(list)).to.equal(false)
    })

    it('nothing: a count that fails, comes late, or overtakes a look, withdraws no list', async () => {
      for (const method of ['upsert', 'find']) {
        store.broken.add(method)
        await count(process)
        store.broken.clear()
        await count(process)
      }
      const late = Promise.withResolvers<void>()
      store.stalled = late.promise
      await count(process)
      const look = process.vouchFor(list)
      await settled()
      store.stalled = undefined
      for (let n = 0; n < 3; n += 1) await count(process)
      late.resolve()
      for (let n = 0; n < 3; n += 1) await count(process)
      expect([await look, await process.vouchFor(list)]).to.deep.equal([true, true])
      expect(await drawn.from(process, 1)).to.equal(list)
    })
  })
})
