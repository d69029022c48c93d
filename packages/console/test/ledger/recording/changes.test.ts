import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { changes } from '../../../src/ledger/recording/changes.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { quietly } from '../../support/quietly.ts'
import {
  ended,
  exported,
  idOf,
  interceptCalls,
  issued,
  many,
  put,
  started,
  T,
  used,
} from '../stores/contract/support.ts'

describe('what changes in the audit', () => {
  /** Follows, and collects what is told. */
  function following({ follow }: ReturnType<typeof changes>) {
    const controller = new AbortController()
    const told: string[][] = []
    const over = (async () => {
      for await (const changed of follow(controller.signal)) told.push([...changed.keys()])
    })()
    return {
      told,
      async until(count: number) {
        while (told.length < count) await wait(2)
        return told
      },
      async stop() {
        controller.abort()
        await over
      },
    }
  }

  it('says to all followers of which rows something may run or be over, by the events', async () => {
    const store = memoryAudit()
    const { follow } = changes(store, 5)
    const controller = new AbortController()
    const readers = [follow(controller.signal), follow(controller.signal)]
    const first = readers.map((reader) => reader.next())
    await wait(20)
    await put(store, issued('a', T), started('b', T), used('c', T), exported(T))
    for (const each of first) {
      const changed = (await each).value ?? expect.fail()
      expect([...changed]).to.deep.equal([
        [idOf('a'), false],
        [idOf('b'), true],
        [idOf('c'), false],
      ])
    }
    await put(store, used('b', T), ended('c', T))
    for (const reader of readers) {
      const changed = (await reader.next()).value ?? expect.fail()
      expect([...changed]).to.deep.equal([
        [idOf('b'), false],
        [idOf('c'), true],
      ])
    }
    controller.abort()
    expect((await readers[0]?.next())?.done).to.equal(true)
  })

  it('is told to a reader that is slow in one set, and as any where it is too much', async () => {
    const store = memoryAudit()
    const { follow } = changes(store, 5)
    const controller = new AbortController()
    const reader = follow(controller.signal)
    const first = reader.next()
    await wait(20)
    const happens = async (count: number) => {
      const names = many(count, (index) => `${index}`)
      await put(store, ...names.map((name) => issued(name, T)))
      await wait(30)
    }
    await happens(1)
    expect((await first).value?.has(idOf('0'))).to.equal(true)
    await happens(50)
    await happens(100)
    expect((await reader.next()).value?.size).to.equal(100)
    await happens(101)
    await happens(1)
    expect((await reader.next()).value?.size, 'any row').to.equal(0)
    await happens(1)
    expect([...((await reader.next()).value?.keys() ?? [])]).to.deep.equal([idOf('0')])
    controller.abort()
  })

  it('is told once, but for what was before, also to who comes after all have left', async () => {
    const store = memoryAudit()
    const { follow } = changes(store, 5)
    for (const name of ['a', 'b']) {
      await put(store, issued(`before ${name}`, T))
      const { until, stop, told } = following({ follow })
      await wait(20)
      await put(store, issued(name, T), exported(T))
      await until(1)
      await put(store, issued(`${name} again`, T))
      await until(2)
      await wait(20)
      expect(told).to.deep.equal([[idOf(name)], [idOf(`${name} again`)]])
      await stop()
    }
  })

  it('is read once in a while however many follow, and not at all without followers', async () => {
    const store = memoryAudit()
    let asked = 0
    const counting = interceptCalls(store, 'entries', () => {
      asked += 1
    })
    const { follow } = changes(counting, 20)
    await wait(60)
    expect(asked).to.equal(0)
    const all = many(50, () => following({ follow }))
    await wait(200)
    await Promise.all(all.map(({ stop }) => stop()))
    expect(asked).to.be.within(1, 12)
    const sofar = asked
    await wait(60)
    expect(asked).to.equal(sofar)
  })

  it('is missed by no follower while the storage fails, and that is told once', async () => {
    const store = memoryAudit()
    let isBroken = false
    const breaking = interceptCalls(store, 'entries', () => {
      if (isBroken) throw new Error('no storage')
    })
    const { follow } = changes(breaking, 5)
    const { until, stop } = following({ follow })
    await wait(20)
    const { stderr } = await quietly(async () => {
      isBroken = true
      await put(store, issued('a', T))
      await wait(30)
      isBroken = false
      expect(await until(1)).to.deep.equal([[idOf('a')]])
    })
    expect(stderr).to.have.length(2)
    expect(stderr[0]).to.include('cannot be read: no storage')
    await stop()
  })

  it('may be any row, where the storage failed from the beginning', async () => {
    let isBroken = true
    const breaking = interceptCalls(memoryAudit(), 'newest', () => {
      if (isBroken) throw new Error('no storage')
    })
    const { follow } = changes(breaking, 5)
    await quietly(async () => {
      const { until, stop } = following({ follow })
      await wait(20)
      isBroken = false
      expect(await until(1)).to.deep.equal([[]])
      await stop()
    })
  })
})
