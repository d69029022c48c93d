import { expect } from 'chai'
import { memoryAudit } from '../../console/audit/memory-store.ts'
import { matcher, search } from '../../console/audit/search.ts'
import type { AuditStore } from '../../console/audit/store.ts'
import { entryOf, put, times } from './audit-contract.ts'

const EVERYTHING = matcher({})

describe('console: searching what happened', () => {
  /** Counts the entries that are read. */
  function counted(store: AuditStore) {
    const read = { count: 0 }
    const before: AuditStore['before'] = async (cursor, limit) => {
      const entries = await store.before(cursor, limit)
      read.count += entries.length
      return entries
    }
    return { store: { ...store, before }, read }
  }

  async function filled(count: number, subjectOf: (time: number) => string) {
    const store = memoryAudit(100_000)
    for (let time = 1; time <= count; time += 1) {
      await put(store, entryOf(time, { subject: subjectOf(time) }))
    }
    return counted(store)
  }

  it('reads one entry more than a page, where everything matches', async () => {
    const { store, read } = await filled(1000, () => 'alice')
    const page = await search(store, EVERYTHING, { before: undefined, limit: 50 })
    expect(times(page.entries)).to.deep.equal(Array.from({ length: 50 }, (_, i) => 1000 - i))
    expect(page.next).to.equal(page.entries.at(-1)?.cursor)
    expect(read.count).to.equal(51)
  })

  it('is at the end exactly there, however the pages fall', async () => {
    for (const count of [0, 1, 49, 50, 51, 500, 550, 551, 552]) {
      const { store } = await filled(count, () => 'alice')
      const page = await search(store, EVERYTHING, { before: undefined, limit: 50 })
      expect(page.next === null, `${count}`).to.equal(count <= 50)
    }
  })

  it('looks at 5,000 entries for one request, and goes on from there', async () => {
    const { store, read } = await filled(12_000, (time) => (time === 1 ? 'bob' : 'alice'))
    const matches = matcher({ subject: 'bob' })
    const counts: number[] = []
    let before: string | undefined
    for (;;) {
      read.count = 0
      const page = await search(store, matches, { before, limit: 50 })
      counts.push(read.count)
      if (page.next === null) {
        expect(times(page.entries)).to.deep.equal([1])
        break
      }
      expect(page.entries).to.deep.equal([])
      before = page.next
    }
    expect(counts).to.deep.equal([5000, 5000, 2000])
  })

  it('finds every match once, wherever pages and chunks end', async () => {
    const { store } = await filled(3000, (time) => (time % 7 === 0 ? 'bob' : 'alice'))
    const expected = Array.from({ length: 428 }, (_, index) => (428 - index) * 7)
    for (const limit of [1, 10, 71, 200]) {
      const found: ReturnType<typeof times> = []
      let before: string | undefined
      for (;;) {
        const page = await search(store, matcher({ subject: 'bob' }), { before, limit })
        found.push(...times(page.entries))
        if (page.next === null) break
        before = page.next
      }
      expect(found, `pages of ${limit}`).to.deep.equal(expected)
    }
  })

  it('looks into texts, and not into what only looks like one', () => {
    const context = { ticketId: 5, reason: ['hidden'], other: 'elsewhere', toString: 'x' }
    const entry = entryOf(1, { subject: 'alice', actor: { sub: 'olivia' }, context })
    for (const text of ['hidden', '5', 'elsewhere', 'granted']) {
      expect(matcher({ text })(entry), text).to.equal(false)
    }
    for (const text of ['ALI', 'Via']) expect(matcher({ text })(entry), text).to.equal(true)
    expect(matcher({ text: 'a', actor: 'olivia', subject: 'bob' })(entry)).to.equal(false)
    expect(matcher({ actor: 'olivia' })(entryOf(1))).to.equal(false)
  })
})
