import { expect } from 'chai'
import { entryDigestOf, hashOf } from '../../src/audit/chain.ts'
import type { AuditEntry } from '../../src/audit/entry.ts'
import { createMemoryAudit } from '../../src/audit/memory.ts'
import { recorder } from '../../src/audit/recorder.ts'
import type { AuditStore, Batch } from '../../src/audit/store.ts'
import { quietly } from '../support/quietly.ts'
import { decoded, granted, idOf, readOn, replayed, T, times, used } from './contract/support.ts'

const TEN = Array.from({ length: 10 }, (_, index) => T + index)
const SOON = { pauses: [1] } as const

/** A store whose appends wait until the test releases them. */
function held(store: AuditStore) {
  const gate = Promise.withResolvers<void>()
  const batches: Batch[] = []
  const append = async (batch: Batch) => {
    batches.push(batch)
    await gate.promise
    await store.append(batch)
  }
  return { store: { ...store, append }, gate, batches }
}

/** Each chain is without a gap, and every hash is right. */
async function expectWholeChains(store: AuditStore): Promise<void> {
  const hashes = new Map<string, { sequence: number; hash: string }>()
  for (const { writer, sequence, text, digest, hash } of await readOn(store, undefined, 500)) {
    const last = hashes.get(writer) ?? { sequence: 0, hash: writer }
    expect(sequence).to.equal(last.sequence + 1)
    expect(digest).to.equal(entryDigestOf(text ?? ''))
    expect(hash).to.equal(hashOf(last.hash, digest))
    hashes.set(writer, { sequence, hash })
  }
}

describe('the recorder of the audit', () => {
  it('prints and stores every entry, in order and in one chain, and tells of what is stored', async () => {
    const store = createMemoryAudit()
    const told: Batch[] = []
    const { record, writer } = recorder(store, { stored: (batch) => told.push(batch) })
    const { stdout, stderr } = await quietly(() =>
      Promise.all(TEN.map((time) => record(used('a', time)))),
    )
    expect(stdout.map((line) => JSON.parse(line))).to.deep.equal(TEN.map((time) => used('a', time)))
    const stored = await readOn(store)
    expect(times(stored)).to.deep.equal(TEN)
    expect(stored.every(({ writer: name }) => name === writer)).to.equal(true)
    await expectWholeChains(store)
    expect([told.map(({ number }) => number), stderr]).to.deep.equal([[1, 2], []])
  })

  it('writes all that waits at once, in order, and counts what happens again', async () => {
    const { store, gate, batches } = held(createMemoryAudit())
    const { record, settled } = recorder(store)
    await quietly(async () => {
      void record(used('a', T))
      for (let time = 1; time <= 1500; time += 1) {
        void record(time % 3 === 0 ? replayed('a', T + time) : used('a', T + time))
      }
      gate.resolve()
      await settled()
    })
    expect(batches.map(({ number }) => number)).to.deep.equal([1, 2, 3])
    const stored = await readOn(store, undefined, 500)
    expect(stored).to.have.length(1 + 1000 + 1)
    expect(stored[3]).to.include({ count: 500, lastTime: T + 1500 })
    expect(await store.row(idOf('a'))).to.include({ reads: 1001, replays: 500, lastAt: T + 1500 })
    await expectWholeChains(store)
  })

  it('I13: keeps what a store does not take, says so in one line, and stores it once it does', async () => {
    const store = createMemoryAudit()
    let failures = 5
    const append = async (batch: Batch) => {
      failures -= 1
      if (failures >= 0) throw new Error('disk full\n\u001b[2J')
      await store.append(batch)
    }
    const { record } = recorder({ append }, SOON)
    const { stdout, stderr } = await quietly(() =>
      Promise.all(TEN.map((time) => record(used('a', time)))),
    )
    expect(stdout).to.have.length(10)
    expect(stderr).to.deep.equal([
      'audit: the storage takes no entries, they wait: disk full\\u000a\\u001b[2J',
      'audit: the storage takes entries again',
    ])
    expect(times(await readOn(store))).to.deep.equal(TEN)
    await expectWholeChains(store)
  })

  it('stores once what a store took without saying so', async () => {
    const store = createMemoryAudit()
    let isSilent = true
    const append = async (batch: Batch) => {
      await store.append(batch)
      if (isSilent) {
        isSilent = false
        throw new Error('the connection broke')
      }
    }
    const { record } = recorder({ append }, SOON)
    await quietly(async () => {
      await record(replayed('a', T))
      await record(replayed('a', T + 1))
    })
    const stored = await readOn(store)
    expect(stored).to.have.length(1)
    expect(stored[0]).to.include({ count: 2, lastTime: T + 1 })
    expect(await store.row(idOf('a'))).to.include({ replays: 2 })
  })

  it('has room until its bound is reached, and then keeps who asks waiting', async () => {
    const { store, gate } = held(createMemoryAudit())
    const { record, room, settled } = recorder(store, { bound: 10 })
    await quietly(async () => {
      for (const time of TEN) {
        expect(room.isFree()).to.equal(true)
        expect(await room.wait(1)).to.equal(true)
        void record(used('a', time))
      }
      expect(await room.wait(1)).to.equal(false)
      const waiting = room.wait(1_000_000)
      gate.resolve()
      expect(await waiting).to.equal(true)
      await settled()
    })
    expect(times(await readOn(store))).to.deep.equal(TEN)
  })

  it('at the end, stores what is left, and keeps nothing that comes later', async () => {
    const { store, gate, batches } = held(createMemoryAudit())
    const { record, close } = recorder(store)
    let isClosed = false
    const { stderr } = await quietly(async () => {
      for (const time of TEN) void record(used('a', time))
      const closed = close().then(() => {
        isClosed = true
      })
      while (batches.length === 0) await new Promise(setImmediate)
      expect(isClosed).to.equal(false)
      gate.resolve()
      await closed
      await record(used('a', T + 11))
    })
    expect(times(await readOn(store))).to.deep.equal(TEN)
    expect(stderr).to.have.length(1)
    expect(stderr[0]).to.match(/^audit: impersonation\.used at \d+ is only in the log, .* closed$/)
  })

  for (const [what, append, reason] of [
    ['never answers', () => new Promise<void>(() => {}), 'did not answer before the end'],
    ['always fails', () => Promise.reject(new Error('no disk')), 'no disk'],
  ] as const) {
    it(`at the end, says of every entry that it is lost where the store ${what}`, async () => {
      const { record, close } = recorder({ append }, { patience: 20, pauses: [1] })
      const { stderr } = await quietly(async () => {
        const all = TEN.map((time) => record(used('a', time)))
        await close()
        await Promise.all(all)
      })
      const lost = stderr.filter((line) => line.includes('is only in the log'))
      expect(lost).to.have.length(10)
      for (const line of lost) expect(line).to.include(reason)
    })
  }

  it('keeps one event on one line, which reads as what it says and is obeyed by no terminal', async () => {
    const marks = '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'
    const reason = `${marks}a\n{"event":"impersonation.granted"}\r\u001b[2J\u009b2J\u2028\u0085`
    const store = createMemoryAudit()
    const entry = granted('a', T, { context: { reason } })
    const { stdout } = await quietly(() => recorder(store).record(entry))
    expect(stdout.map((line) => JSON.parse(line))).to.deep.equal([entry])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be printed.
    expect(stdout.join('')).not.to.match(/[\0-\x1f\x7f-\x9f\u2028\u2029]/)
    expect(stdout.join('')).not.to.match(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/)
    expect(decoded(await readOn(store))).to.deep.equal([entry])
  })

  it('stores what names an account or a client, and has what names none in the log alone', async () => {
    const store = createMemoryAudit()
    const { record } = recorder(store)
    const denial = { stage: 'exchange', error: 'invalid_request', reason: 'unknown' } as const
    const denied = { event: 'impersonation.denied', denial, client: 'shop', id: 'x' } as const
    const all: readonly AuditEntry[] = [
      { ...denied, time: T, subject: 'alice' },
      { ...denied, time: T + 1, actor: { sub: 'olivia' } },
      { ...denied, time: T + 2, issuedTo: 'backend' },
      { event: 'support.exported', time: T + 3, by: 'grace' },
      { ...denied, time: T + 4 },
    ]
    const { stdout, stderr } = await quietly(async () => {
      for (const entry of all) await record(entry)
    })
    expect([stdout.length, stderr]).to.deep.equal([5, []])
    expect(times(await readOn(store))).to.deep.equal([T, T + 1, T + 2, T + 3])
  })

  it('never rejects, and records what it was told, whatever happens to it afterwards', async () => {
    const store = createMemoryAudit()
    const { record } = recorder(store)
    const context = { ticketId: 'SUP-1' }
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const { stderr } = await quietly(async () => {
      const recorded = record(granted('a', T, { context }))
      context.ticketId = 'changed'
      await recorded
      await record(granted('b', T, { context: circular }))
      await record(granted('c', Number.NaN))
      await record(granted('d', T))
    })
    expect((await store.row(idOf('a')))?.ticket).to.equal('SUP-1')
    expect(await readOn(store)).to.have.length(2)
    expect(stderr).to.have.length(2)
    expect(stderr[0]).to.include('could not be written as JSON')
    expect(stderr[1]).to.include('only in the log')
  })
})
