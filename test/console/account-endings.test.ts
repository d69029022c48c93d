import { expect } from 'chai'
import { endingsOf } from '../../console/account/endings.ts'
import { concerns } from '../../console/account/entries.ts'
import type { AuditEntry } from '../../console/audit/entry.ts'
import { memoryAudit } from '../../console/audit/memory-store.ts'
import { search } from '../../console/audit/search.ts'
import type { AuditStore } from '../../console/audit/store.ts'
import { entryOf, put } from './audit-contract.ts'

const MINUTE = 60_000

describe('console: when an impersonation was ended', () => {
  let store: AuditStore
  beforeEach(() => {
    store = memoryAudit(100_000)
  })

  /** Ten minutes from the time, in milliseconds. */
  const granted = (time: number, id: string) =>
    put(store, entryOf(time, { id, expiresAt: (time + 10 * MINUTE) / 1000 }))
  const ended = (time: number, id: string, more: Partial<AuditEntry> = {}) =>
    put(store, entryOf(time, { event: 'impersonation.ended', id, ...more }))
  /** The oldest page of alice's entries. */
  const oldest = async (limit: number) => {
    let before: string | undefined
    for (;;) {
      const page = await search(store, concerns('alice'), { before, limit })
      if (page.next === null) return page.entries
      before = page.next
    }
  }

  it('is on the same page, or on one before it, among what others did', async () => {
    await granted(0, 'a')
    for (let time = 1; time < 1200; time += 1) await put(store, entryOf(time, { subject: 'bob' }))
    await ended(5 * MINUTE, 'a')
    for (const limit of [1, 2, 50]) {
      expect([...(await endingsOf(store, await oldest(limit)))]).to.deep.equal([
        ['a', { time: 5 * MINUTE, by: 'others' }],
      ])
    }
  })

  it('is found however many requests the operator made in between', async () => {
    await granted(0, 'a')
    const use = entryOf(1, { event: 'impersonation.used', id: 'a' })
    await put(store, ...Array.from({ length: 12_000 }, () => use))
    await ended(5 * MINUTE, 'a')
    const needed = 'without requests'
    const page = await search(store, concerns('alice'), { before: undefined, limit: 2, needed })
    expect(page.next).to.equal(null)
    const [, grant] = page.entries
    expect([...(await endingsOf(store, grant ? [grant] : []))]).to.deep.equal([
      ['a', { time: 5 * MINUTE, by: 'others' }],
    ])
  })

  it('is by the customer, by others, or by the word of an operator: that one says least', async () => {
    for (const id of ['a', 'b', 'c', 'd']) await granted(0, id)
    const by = (sub: string) => ({ end: { at: 60, by: { sub }, cause: 'user' as const } })
    await ended(MINUTE, 'a', by('alice'))
    await ended(MINUTE, 'b', by('olivia'))
    const word = { event: 'support.ended' } as const
    await ended(MINUTE, 'c', word)
    await ended(2 * MINUTE, 'c', word)
    await ended(MINUTE, 'd', word)
    await ended(2 * MINUTE, 'd', by('alice'))
    for (const limit of [5, 50]) {
      const endings = await endingsOf(store, await oldest(limit))
      expect(Object.fromEntries(endings)).to.deep.equal({
        a: { time: MINUTE, by: 'you' },
        b: { time: MINUTE, by: 'others' },
        c: { time: MINUTE, by: 'their word' },
        d: { time: 2 * MINUTE, by: 'you' },
      })
    }
  })

  it('is not after it had expired, nor what ended another', async () => {
    await granted(0, 'a')
    await ended(MINUTE, 'b')
    await ended(11 * MINUTE, 'a')
    expect([...(await endingsOf(store, await oldest(50)))]).to.deep.equal([])
  })

  it('is looked for until it has expired, and among 5,000 entries at most', async () => {
    let read = 0
    const after: AuditStore['after'] = async (cursor, limit) => {
      const entries = await store.after(cursor, limit)
      read += entries.length
      return entries
    }
    await granted(0, 'a')
    const page = await oldest(1)
    for (let time = 1; time <= 7000; time += 1) await put(store, entryOf(time, { subject: 'bob' }))
    await endingsOf({ ...store, after }, page)
    expect(read).to.equal(5000)
    read = 0
    await endingsOf({ ...store, after }, [])
    expect(read).to.equal(0)

    store = memoryAudit(100_000)
    await granted(0, 'a')
    const other = await oldest(1)
    for (let hour = 1; hour <= 3000; hour += 1) {
      await put(store, entryOf(hour * 60 * MINUTE, { subject: 'bob' }))
    }
    read = 0
    await endingsOf({ ...store, after }, other)
    expect(read).to.equal(500)
  })
})
