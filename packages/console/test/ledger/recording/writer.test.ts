import { expect } from 'chai'
import { digestOf } from 'oidc-provider-impersonation-verify/chain'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import type { Batch } from '../../../src/ledger/batch.ts'
import { recorder } from '../../../src/ledger/recording/recorder.ts'
import { ledgerWriter } from '../../../src/ledger/recording/writer.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { UnstorableError } from '../../../src/ledger/unstorable.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { quietly } from '../../support/quietly.ts'
import {
  assertWholeChains,
  decoded,
  exported,
  idOf,
  issued,
  readOn,
  refused,
  started,
  T,
  times,
  used,
} from '../stores/contract/support.ts'

const WHY = 'the storage refuses what is in the entry (22P02)'

/** A store that refuses batches with these entries, and says how many it was asked for. */
function choosy(refuses: (entry: AuditEntry) => boolean) {
  const store = memoryAudit()
  const asked: number[] = []
  const append = async (batch: Batch) => {
    const entries = [...batch.records, ...batch.repetitions].map(({ entry }) => entry)
    asked.push(entries.length)
    if (entries.some(refuses)) throw new UnstorableError(WHY)
    return store.append(batch)
  }
  return { store: { ...store, append } satisfies AuditStore, asked }
}

function writerOf(store: AuditStore, end = new AbortController()) {
  const { append, ...writer } = ledgerWriter(store)
  const how = { pauses: [1], end: end.signal } as const
  return { ...writer, write: (entries: readonly AuditEntry[]) => append(entries, how) }
}

describe('the writer of entries', () => {
  it('I17: sets aside what the store refuses, with its digest, and stores what comes before and after', async () => {
    const bad = used('a', T + 3)
    const { store } = choosy(
      ({ event, timeMs: time }) => event === bad.event && time === bad.timeMs,
    )
    const { record, settled } = recorder(store)
    const all = [issued('a', T), started('a', T + 1), used('a', T + 2), bad, used('b', T + 4)]
    const { stdout, stderr } = await quietly(async () => {
      for (const entry of all) void record(entry)
      await settled()
    })
    const stored = await readOn(store)
    const line = stdout.find((each) => JSON.parse(each).timeMs === bad.timeMs) ?? expect.fail()
    expect(decoded(stored)).to.deep.equal(
      all.map((entry) =>
        entry === bad
          ? {
              event: 'audit.set_aside',
              timeMs: bad.timeMs,
              id: idOf('a'),
              setAside: { event: bad.event, digest: digestOf(line), why: WHY },
            }
          : entry,
      ),
    )
    await assertWholeChains(store)
    expect(stored[3]?.row, 'it is in the timeline').to.equal(idOf('a'))
    expect(stderr).to.deep.equal([
      `audit: impersonation.used at ${bad.timeMs} is only in the log, it could not be stored: it is set aside: ${WHY}`,
    ])
  })

  it('I17: finds one bad entry of a thousand in a few writes', async () => {
    const { store, asked } = choosy(
      ({ use, timeMs: time }) => use !== undefined && time === T + 700,
    )
    const entries = Array.from({ length: 1000 }, (_, index) => used('a', T + index))
    await quietly(() => writerOf(store).write(entries))
    expect(times(await readOn(store, undefined, 500))).to.deep.equal(
      entries.map(({ timeMs: time }) => time),
    )
    await assertWholeChains(store)
    expect(asked.length).to.be.below(25)
  })

  it('I17: says so without the row where the row itself is why it is refused', async () => {
    const { store } = choosy(({ id }) => id === idOf('a'))
    await quietly(() => writerOf(store).write([issued('a', T), issued('b', T + 1)]))
    const [aside, after] = decoded(await readOn(store))
    expect(aside).to.include({ event: 'audit.set_aside', timeMs: T }).and.not.to.have.property('id')
    expect(after).to.deep.equal(issued('b', T + 1))
  })

  it('I13: waits where a store refuses even that: it is out of order, and the entry is a good one', async () => {
    let isBroken = true
    const { store, asked } = choosy(() => isBroken)
    const { stderr } = await quietly(async () => {
      const written = writerOf(store).write([issued('a', T), started('a', T + 1)])
      while (asked.length < 12) await new Promise(setImmediate)
      isBroken = false
      await written
    })
    expect(decoded(await readOn(store))).to.deep.equal([issued('a', T), started('a', T + 1)])
    await assertWholeChains(store)
    expect(stderr).to.deep.equal([
      `audit: the storage takes no entries, they wait: ${WHY}`,
      'audit: the storage takes entries again',
    ])
  })

  it('counts on an entry only where that entry is stored', async () => {
    let isBroken = true
    const { store } = choosy(({ event }) => isBroken && event === 'support.refused')
    const { write } = writerOf(store)
    await quietly(() => write([refused(T)]))
    isBroken = false
    await quietly(() => write([refused(T + 1), refused(T + 2)]))
    const stored = await readOn(store)
    const counts = decoded(stored).map((entry, index) => [entry?.event, stored[index]?.count])
    expect(counts).to.deep.equal([
      ['audit.set_aside', 1],
      ['support.refused', 2],
    ])
  })

  it('counts what is refused alike and is about no impersonation: the log has each', async () => {
    const { store } = choosy(({ event }) => event === 'support.exported')
    const { stderr } = await quietly(() =>
      writerOf(store).write([exported(T), exported(T + 1), exported(T + 2)]),
    )
    const stored = await readOn(store)
    expect(stored.map(({ count, row }) => [count, row])).to.deep.equal([[3, undefined]])
    expect(stderr).to.have.length(3)
  })

  it('at the end, says of every entry that is left that it is lost', async () => {
    const end = new AbortController()
    const { store, asked } = choosy(() => true)
    const { stderr } = await quietly(async () => {
      const written = writerOf(store, end).write([issued('a', T), started('a', T + 1)])
      while (asked.length < 5) await new Promise(setImmediate)
      end.abort()
      expect(await written).to.deep.equal([])
    })
    expect(stderr.filter((line) => line.includes('is only in the log'))).to.have.length(2)
  })
})
