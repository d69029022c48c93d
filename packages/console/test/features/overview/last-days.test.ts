import { expect } from 'chai'
import { skipWithout } from '../../../../../test/adapters/servers.ts'
import { readLastDays } from '../../../src/features/overview/server/last-days.ts'
import { dayOf, UTC_DAY_MS } from '../../../src/ledger/day-counts.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { newPlace, storeAt } from '../../ledger/recording/soak-stores.ts'
import { act, issued, put, started, T } from '../../ledger/stores/contract/support.ts'
import { countedStatements } from '../../support/counted-statements.ts'
import { memoryAudit } from '../../support/memory-audit.ts'

const MINUTE_MS = 60_000
/** In the afternoon. */
const NOW = T + 40 * UTC_DAY_MS + 15 * 60 * MINUTE_MS
const TODAY = dayOf(NOW)

/** A storage that remembers how many days it was asked to count. */
function observed(store: AuditStore) {
  const spans: number[] = []
  const countByDay: AuditStore['countByDay'] = (span) => {
    spans.push((span.to - span.from) / UTC_DAY_MS)
    return store.countByDay(span)
  }
  return { spans, store: { countByDay } }
}

describe('the counts of the last days', () => {
  it('are of 30 days with today, the oldest first, also of those on which nothing happened', async () => {
    const audit = memoryAudit()
    await put(
      audit,
      issued('a', TODAY - 29 * UTC_DAY_MS),
      started('a', TODAY - 29 * UTC_DAY_MS + 1),
    )
    await put(
      audit,
      issued('b', TODAY - 30 * UTC_DAY_MS),
      started('b', TODAY - 30 * UTC_DAY_MS + 1),
    )
    await put(audit, issued('c', NOW - 1), started('c', NOW))
    const days = await readLastDays(audit, NOW)
    expect(days.map(({ day }) => day)).to.deep.equal(
      Array.from({ length: 30 }, (_, index) => TODAY - (29 - index) * UTC_DAY_MS),
    )
    expect(days[0]?.starts).to.deep.equal({ expired: 1 })
    expect(days.at(-1)?.starts).to.deep.equal({ running: 1 })
    expect(days.slice(1, -1).every(({ starts }) => Object.keys(starts).length === 0)).to.equal(true)
    await audit.close()
  })

  it('are counted once for a day that is over, and again for today', async () => {
    const audit = memoryAudit()
    const { spans, store } = observed(audit)
    await readLastDays(store, NOW)
    await readLastDays(store, NOW + MINUTE_MS)
    expect(spans, 'all days, then today').to.deep.equal([30, 1])
    await put(audit, issued('a', NOW), started('a', NOW))
    expect((await readLastDays(store, NOW + 2 * MINUTE_MS)).at(-1)?.starts).to.deep.equal({
      running: 1,
    })
    // The two days before today may change: what ran, ends, and a process tells late of what happened.
    await readLastDays(store, NOW + 6 * MINUTE_MS)
    expect(spans).to.deep.equal([30, 1, 1, 3])
    await audit.close()
  })

  it('are counted again for a day once it is over, until nothing of it can change', async () => {
    const audit = memoryAudit()
    const { spans, store } = observed(audit)
    const read = async (time: number) =>
      (await readLastDays(store, time)).find((each) => each.day === TODAY)
    await put(audit, issued('a', NOW), started('a', NOW, { expiresAt: NOW / 1000 + 36_000 }))
    expect((await read(NOW + 1))?.starts).to.deep.equal({ running: 1 })
    expect((await read(NOW + UTC_DAY_MS))?.starts).to.deep.equal({ expired: 1 })
    await put(audit, act('objected', 'a', NOW + 2, { note: 'told late' }))
    expect((await read(NOW + 2 * UTC_DAY_MS))?.objected).to.equal(1)
    // It has been over for two days.
    await read(TODAY + 3 * UTC_DAY_MS)
    await read(TODAY + 3 * UTC_DAY_MS + 6 * MINUTE_MS)
    expect(spans.at(-1), 'and the day stays').to.equal(3)
    await audit.close()
  })

  it('are counted by one statement for all who ask meanwhile', async () => {
    const audit = memoryAudit()
    const { spans, store } = observed(audit)
    const all = await Promise.all(Array.from({ length: 20 }, () => readLastDays(store, NOW)))
    expect(spans.length).to.be.at.most(2)
    for (const days of all) expect(days).to.deep.equal(all[0])
    await audit.close()
  })

  it('are asked for again where the storage failed', async () => {
    const audit = memoryAudit()
    let isFailing = true
    const store: Pick<AuditStore, 'countByDay'> = {
      countByDay: (span) =>
        isFailing ? Promise.reject(new Error('out of order')) : audit.countByDay(span),
    }
    expect(await readLastDays(store, NOW).catch(() => 'failed')).to.equal('failed')
    isFailing = false
    expect(await readLastDays(store, NOW)).to.have.length(30)
    await audit.close()
  })

  for (const kind of ['sqlite', 'postgres'] as const) {
    it(`take one statement in ${kind}, however much happened`, async function () {
      if (kind === 'postgres') await skipWithout(this, 'PostgreSQL')
      await using storage = await newPlace(kind)
      const { store, close } = await storeAt(kind, storage.place)
      try {
        await store.open()
        const names = Array.from({ length: 60 }, (_, index) => `${index}`)
        for (const [index, name] of names.entries()) {
          const at = NOW - (index % 30) * UTC_DAY_MS - MINUTE_MS
          await put(store, issued(name, at), started(name, at), act('objected', name, at))
        }
        const counted = await countedStatements[kind](() => readLastDays(store, NOW))
        expect(counted, 'all days').to.equal(1)
        expect(await countedStatements[kind](() => readLastDays(store, NOW)), 'today').to.equal(1)
        const days = await readLastDays(store, NOW)
        expect(days.map(({ objected }) => objected)).to.deep.equal(days.map(() => 2))
      } finally {
        await store.close()
        await close()
      }
    })
  }
})
