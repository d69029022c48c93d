import { expect } from 'chai'
import { limitTime } from 'oidc-provider-impersonation/siblings'
import { digestOf } from 'oidc-provider-impersonation-verify/chain'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import type { AuditStore, Batch } from '../../../src/ledger/store.ts'
import { UnstorableError } from '../../../src/ledger/unstorable.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { quietly } from '../../support/quietly.ts'
import {
  assertWholeLog,
  decoded,
  idOf,
  interceptCalls,
  many,
  readOn,
  rejection,
  replayed,
  started,
  T,
  times,
  used,
} from '../stores/contract/support.ts'
import { recorderOn } from './recorder-on.ts'

const TEN = many(10, (index) => T + index)
const SOON = { pauses: [1] } as const

type Write = AuditStore['write']

/** A store that writes in another way. */
const writing = (write: Write, store = memoryAudit()): AuditStore => ({ ...store, write })

/** A store whose writes wait until the test releases them. */
function held(store = memoryAudit()) {
  const blocked = Promise.withResolvers<void>()
  const batches: Batch[] = []
  const holding = interceptCalls(store, 'write', (batch) => {
    batches.push(batch)
    return blocked.promise
  })
  return { store: holding, blocked, batches }
}

/** A store whose first writes fail. */
function failing(failures: number, store = memoryAudit()) {
  let left = failures
  return interceptCalls(store, 'write', () => {
    left -= 1
    if (left >= 0) throw new Error('disk full\n\u001b[2J')
  })
}

const HOUR_MS = 3_600_000

describe('the recorder of the audit', () => {
  it('writes all that waits at once, in order', async () => {
    const { store, blocked, batches } = held()
    const { record, settled } = recorderOn(store)
    await quietly(async () => {
      for (let time = 0; time <= 1500; time += 1) void record(used('a', T + time))
      blocked.resolve()
      await settled()
    })
    expect(batches.map(({ entries }) => entries.length)).to.deep.equal([1, 1000, 500])
    expect(await store.row(idOf('a'))).to.include({ reads: 1501, lastAt: T + 1500 })
    await assertWholeLog(store)
  })

  it('stores twenty in an hour of what repeats, and then one that says how many more', async () => {
    const store = memoryAudit()
    let now = T
    const { record, close } = recorderOn(store, { now: () => now })
    const replay = async (count: number) => {
      for (let each = 0; each < count; each += 1) await record(replayed('a', now + each))
    }
    const { stdout } = await quietly(async () => {
      await replay(70)
      await record(replayed('b', T))
      now += HOUR_MS - 1
      await replay(1)
      expect(await store.row(idOf('a'))).to.include({ replays: 20 })
      await close()
    })
    expect(stdout, 'the log has each').to.have.length(72)
    const stored = decoded(await readOn(store))
    expect(stored).to.have.length(22)
    expect(stored.at(-1)).to.deep.equal({ ...replayed('a', now), count: 51 })
    expect(await store.row(idOf('a'))).to.deep.include({ replays: 71, lastAt: now })
    expect((await store.row(idOf('a')))?.alarm).to.include({ count: 71 })
  })

  it('I13: keeps what a store does not take, says so in one line, and stores it once it does', async () => {
    const store = failing(5)
    const { record } = recorderOn(store, SOON)
    const { stdout, stderr } = await quietly(() =>
      Promise.all(TEN.map((time) => record(used('a', time)))),
    )
    expect(stdout).to.have.length(10)
    expect(stderr).to.deep.equal([
      'audit: the storage takes no entries, they wait: disk full\\u000a\\u001b[2J',
      'audit: the storage takes entries again',
    ])
    expect(times(await readOn(store))).to.deep.equal(TEN)
    await assertWholeLog(store)
  })

  it('stores once what a store took without saying so, and finds out what it did not take', async () => {
    const store = memoryAudit()
    const faults = ['after', 'before', 'hang', 'late'] as const
    for (const [index, fault] of faults.entries()) {
      let isFirst = true
      const write: Write = async (batch, deadline) => {
        if (!isFirst) return store.write(batch, deadline)
        isFirst = false
        if (fault === 'after') await store.write(batch, deadline)
        if (fault === 'late') return store.write(batch, store.deadlineIn(-1))
        if (fault === 'hang')
          return limitTime(5, new Promise<never>(() => {}), () => new Error('no'))
        throw new Error('the connection broke')
      }
      const { record } = recorderOn(writing(write, store), SOON)
      await quietly(() => record(used('a', T + index)))
      expect(times(await readOn(store)), fault).to.have.length(index + 1)
    }
    expect(await store.row(idOf('a'))).to.include({ reads: 4 })
  })

  it('has capacity until its bound is reached, and then keeps who asks waiting', async () => {
    const { store, blocked } = held()
    const { record, isFree, waitUntilFree, settled } = recorderOn(store, { bound: 10 })
    await quietly(async () => {
      for (const time of TEN) {
        expect(isFree()).to.equal(true)
        expect(await waitUntilFree(1)).to.equal(true)
        void record(used('a', time))
      }
      expect(await waitUntilFree(1)).to.equal(false)
      const waiting = waitUntilFree(1_000_000)
      blocked.resolve()
      expect(await waiting).to.equal(true)
      await settled()
    })
    expect(times(await readOn(store))).to.deep.equal(TEN)
  })

  it('has no capacity while the store fails, however fast, or does not answer, and capacity when it has taken what waited', async () => {
    const { store, blocked } = held()
    const unwilling = recorderOn(failing(1, store), { pauses: [30], slow: 1_000_000 })
    const silent = recorderOn(store, { slow: 10 })
    await quietly(async () => {
      const entries = [unwilling, silent].map(({ record }) => record(used('a', T)))
      expect(silent.isFree(), 'it was only just asked').to.equal(true)
      while (unwilling.isFree() || silent.isFree()) await new Promise(setImmediate)
      const waiting = [unwilling, silent].map(({ waitUntilFree }) => waitUntilFree(1_000_000))
      blocked.resolve()
      await Promise.all([...entries, ...waiting])
      expect([unwilling.isFree(), silent.isFree()]).to.deep.equal([true, true])
    })
  })

  it('I13: says of what must not happen without its entry whether it is stored as it was told', async () => {
    let isRefused = false
    const store = interceptCalls(failing(1), 'write', ({ entries }) => {
      if (isRefused && entries.some(({ text }) => !text.includes('set_aside'))) {
        throw new UnstorableError('it does not fit')
      }
    })
    const { recordSurely, close } = recorderOn(store, {
      ...SOON,
      nameOf: async () => ({ name: 'A' }),
    })
    const outcomes: unknown[] = []
    const tell = async (entry: AuditEntry) => outcomes.push(await rejection(recordSurely(entry)))
    await quietly(async () => {
      await tell(started('a', T))
      await tell({ ...started('b', T), userId: 7 as never })
      isRefused = true
      await tell(started('c', T))
      await close()
      await tell(started('d', T))
    })
    const not = 'Error: the audit did not store it'
    expect(outcomes.map(String)).to.deep.equal(['undefined', not, not, not])
  })

  it('at the end, stores what is left, and keeps nothing that comes later', async () => {
    const { store, blocked, batches } = held()
    const { record, close } = recorderOn(store)
    let isClosed = false
    const { stderr } = await quietly(async () => {
      for (const time of TEN) void record(used('a', time))
      const closed = close().then(() => {
        isClosed = true
      })
      while (batches.length === 0) await new Promise(setImmediate)
      expect(isClosed).to.equal(false)
      blocked.resolve()
      await closed
      await record(used('a', T + 11))
    })
    expect(times(await readOn(store))).to.deep.equal(TEN)
    expect(stderr).to.have.length(1)
    expect(stderr[0]).to.match(/^audit: impersonation\.used at \d+ is only in the log, .* closed$/)
  })

  for (const [what, write, reason] of [
    ['never answers', () => new Promise<never>(() => {}), 'did not answer before the end'],
    ['always fails', () => Promise.reject(new Error('no disk')), 'no disk'],
  ] as const) {
    it(`I13: at the end, says of every entry that it is lost where the store ${what}`, async () => {
      const { record, recordSurely, close } = recorderOn(writing(write), { timeoutMs: 20, ...SOON })
      const { stderr } = await quietly(async () => {
        const all = TEN.map((time) => record(used('a', time)))
        const surely = rejection(recordSurely(started('a', T)))
        await close()
        await Promise.all(all)
        expect(await surely).to.be.instanceOf(Error)
      })
      const lost = stderr.filter((line) => line.includes('is only in the log'))
      expect(lost).to.have.length(11)
      for (const line of lost) expect(line).to.include(reason)
    })
  }

  it('keeps one event on one line, which reads as what it says and is obeyed by no terminal', async () => {
    const marks = '\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069'
    const reason = `${marks}a\n{"event":"impersonation.started"}\r\u001b[2J\u009b2J\u2028\u0085`
    const store = memoryAudit()
    const entry = started('a', T, { context: { reason } })
    const { stdout } = await quietly(() => recorderOn(store).record(entry))
    expect(stdout.map((line) => JSON.parse(line))).to.deep.equal([entry])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be printed.
    expect(stdout.join('')).not.to.match(/[\0-\x1f\x7f-\x9f\u2028\u2029]/)
    expect(stdout.join('')).not.to.match(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/)
    expect(decoded(await readOn(store))).to.deep.equal([entry])
  })

  it('stores what names an account or a client, and has what names none in the log alone', async () => {
    const store = memoryAudit()
    const { record } = recorderOn(store)
    const denial = { stage: 'exchange', error: 'invalid_request', reason: 'unknown' } as const
    const denied = { event: 'impersonation.denied', denial, client: 'shop', id: 'x' } as const
    const all: readonly AuditEntry[] = [
      { ...denied, timeMs: T, userId: 'alice' },
      { ...denied, timeMs: T + 1, actor: { sub: 'olivia' } },
      { ...denied, timeMs: T + 2, requestedBy: 'backend' },
      { event: 'support.exported', timeMs: T + 3, by: 'grace' },
      { ...denied, timeMs: T + 4 },
    ]
    const { stdout, stderr } = await quietly(async () => {
      for (const entry of all) await record(entry)
    })
    expect([stdout.length, stderr]).to.deep.equal([5, []])
    expect(times(await readOn(store))).to.deep.equal([T, T + 1, T + 2, T + 3])
  })

  it('never rejects, and records what it was told, whatever happens to it afterwards', async () => {
    const store = memoryAudit()
    const { record } = recorderOn(store)
    const context = { ticketId: 'SUP-1' }
    const circular: Record<string, unknown> = {}
    circular.self = circular
    const { stderr } = await quietly(async () => {
      const recorded = record(started('a', T, { context }))
      context.ticketId = 'changed'
      await recorded
      await record(started('b', T, { context: circular }))
      await record(started('c', Number.NaN))
      await record(started('d', T))
    })
    expect((await store.row(idOf('a')))?.ticket).to.equal('SUP-1')
    expect(decoded(await readOn(store)).map((entry) => entry?.event)).to.deep.equal([
      'impersonation.started',
      'audit.set_aside',
      'audit.set_aside',
      'impersonation.started',
    ])
    expect(stderr).to.have.length(2)
    expect(stderr[0]).to.include('could not be written as JSON')
    expect(stderr[1]).to.include('entry.timeMs must be')
  })

  it('I17: what a part of the system tells in a wrong form is set aside, and the next is stored', async () => {
    const store = memoryAudit()
    const { record } = recorderOn(store)
    const wrong = {
      'entry.timeMs': { ...started('a', T), timeMs: T + 0.5 },
      'entry.userId': { ...started('a', T), userId: 42 },
      'entry.actor.sub': { ...started('a', T), actor: {} },
      'entry.denial.reason': { ...started('a', T), denial: { stage: 'issue', error: 'e' } },
      'entry.end.cause': { ...started('a', T), end: { at: 1, cause: 'why' } },
      'entry.event': { ...started('a', T), event: 'another' },
      'the entry': started('a', T, { context: { long: 'x'.repeat(1_048_577) } }),
    }
    const { stdout } = await quietly(async () => {
      for (const entry of Object.values(wrong)) await record(entry as never)
      await record(started('b', T))
    })
    const all = decoded(await readOn(store))
    expect(all.pop()).to.deep.equal(started('b', T))
    for (const [index, [member, entry]] of Object.entries(wrong).entries()) {
      const { event, setAside } = all[index] ?? expect.fail()
      expect([event, setAside?.event], member).to.deep.equal(['audit.set_aside', entry.event])
      expect(setAside?.why).to.match(new RegExp(`^${member} (must|is required)`))
      expect(setAside?.digest).to.equal(digestOf(stdout[index] ?? ''))
    }
    expect(await store.row(idOf('a'))).to.equal(undefined)
  })
})
