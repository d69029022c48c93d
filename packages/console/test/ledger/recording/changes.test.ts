import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import { type Changes, changes } from '../../../src/ledger/recording/changes.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { quietly } from '../../support/quietly.ts'
import {
  ended,
  exported,
  idOf,
  issued,
  put,
  started,
  T,
  used,
  writer,
} from '../stores/contract/support.ts'

/** Longer than any test: what arrives did not wait for this interval. */
const NEVER = 1_000_000

/** What this process stored, as its log tells it. */
const toldOf = (...entries: readonly AuditEntry[]) =>
  entries.map(({ event, id }, index) => ({ id: `${index}`, row: id, event }))

describe('what changes in the audit', () => {
  /** Follows, and collects what is told. */
  function following({ follow }: Pick<Changes, 'follow'>) {
    const controller = new AbortController()
    const told: string[][] = []
    const over = (async () => {
      for await (const { rows } of follow(controller.signal)) told.push([...rows])
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

  it('is told at once to all followers where this process stored it', async () => {
    const { follow, stored } = changes(memoryAudit(), NEVER)
    const [one, two] = [following({ follow }), following({ follow })]
    stored(toldOf(issued('a', T), used('a', T), issued('b', T), exported(T)))
    for (const each of [one, two]) {
      expect(await each.until(1)).to.deep.equal([[idOf('a'), idOf('b')]])
    }
    stored(toldOf(exported(T)))
    stored(toldOf(issued('c', T)))
    for (const each of [one, two]) {
      expect(await each.until(2)).to.deep.equal([[idOf('a'), idOf('b')], [idOf('c')]])
      await each.stop()
    }
  })

  it('says of which rows something may run or be over: by the events, of this process and of others', async () => {
    const store = memoryAudit()
    const { follow, stored } = changes(store, 5)
    const controller = new AbortController()
    const reader = follow(controller.signal)
    const first = reader.next()
    await wait(20)
    stored(toldOf(issued('a', T), started('b', T), used('c', T), exported(T)))
    const own = (await first).value
    expect([...(own?.rows ?? [])]).to.deep.equal([idOf('a'), idOf('b'), idOf('c')])
    expect([...(own?.begunOrEnded ?? [])]).to.deep.equal([idOf('b')])
    await put(store, used('b', T), ended('c', T))
    const other = (await reader.next()).value
    expect([...(other?.rows ?? [])]).to.deep.equal([idOf('b'), idOf('c')])
    expect([...(other?.begunOrEnded ?? [])]).to.deep.equal([idOf('c')])
    controller.abort()
  })

  it('is told to a reader that is slow in one set, and as any where it is too much', async () => {
    const { follow, stored } = changes(memoryAudit(), NEVER)
    const controller = new AbortController()
    const reader = follow(controller.signal)
    const first = reader.next()
    stored(toldOf(issued('0', T)))
    expect([...((await first).value?.rows ?? [])]).to.deep.equal([idOf('0')])
    for (let index = 1; index <= 100; index += 1) stored(toldOf(issued(`${index}`, T)))
    expect((await reader.next()).value?.rows.size).to.equal(100)
    for (let index = 1; index <= 101; index += 1) stored(toldOf(issued(`${index}`, T)))
    stored(toldOf(issued('x', T)))
    expect((await reader.next()).value?.rows.size, 'any row').to.equal(0)
    stored(toldOf(issued('y', T)))
    expect([...((await reader.next()).value?.rows ?? [])]).to.deep.equal([idOf('y')])
    controller.abort()
    expect((await reader.next()).done).to.equal(true)
  })

  it('is heard from other processes, but for what was before; and not twice from this one', async () => {
    const store = memoryAudit()
    await put(store, issued('before', T))
    const { follow, stored } = changes(store, 5)
    const { until, stop, told } = following({ follow })
    await wait(20)
    await put(store, issued('a', T), exported(T))
    expect(await until(1)).to.deep.equal([[idOf('a')]])
    const own = writer(store)
    own.log.follow(stored)
    await own.write(issued('own', T))
    await put(store, issued('b', T))
    await until(3)
    await wait(20)
    expect(told).to.deep.equal([[idOf('a')], [idOf('own')], [idOf('b')]])
    await stop()
  })

  it('is read once in a while however many follow, and not at all without followers', async () => {
    const store = memoryAudit()
    let asked = 0
    const entries: typeof store.entries = (page) => {
      asked += 1
      return store.entries(page)
    }
    const { follow } = changes({ ...store, entries }, 20)
    await wait(60)
    expect(asked).to.equal(0)
    const all = Array.from({ length: 50 }, () => following({ follow }))
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
    const entries: typeof store.entries = async (page) => {
      if (isBroken) throw new Error('no storage')
      return store.entries(page)
    }
    const { follow } = changes({ ...store, entries }, 5)
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
    const store = memoryAudit()
    let isBroken = true
    const newest: typeof store.newest = async () => {
      if (isBroken) throw new Error('no storage')
      return store.newest()
    }
    const { follow } = changes({ ...store, newest }, 5)
    await quietly(async () => {
      const { until, stop } = following({ follow })
      await wait(20)
      isBroken = false
      expect(await until(1)).to.deep.equal([[]])
      await stop()
    })
  })

  it('is told from the beginning again to who comes after all have left', async () => {
    const store = memoryAudit()
    const { follow } = changes(store, 5)
    const first = following({ follow })
    await wait(20)
    await first.stop()
    await put(store, issued('meanwhile', T))
    const second = following({ follow })
    await wait(20)
    await put(store, issued('a', T))
    expect(await second.until(1)).to.deep.equal([[idOf('a')]])
    await second.stop()
  })
})
