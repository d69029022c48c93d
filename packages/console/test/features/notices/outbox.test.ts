import { expect } from 'chai'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import { type Alarm, alarmAlerts } from '../../../src/features/alarms/server/alarms.ts'
import { rowNotices } from '../../../src/features/notices/server/row-notices.ts'
import { type Outbox, startOutbox } from '../../../src/ledger/outbox/outbox.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { recorderOn } from '../../ledger/recording/recorder-on.ts'
import {
  ended,
  idOf,
  notify,
  put,
  readOn,
  removeOne,
  replayed,
  started as startedFor,
  T,
  told,
} from '../../ledger/stores/contract/support.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { quietly } from '../../support/quietly.ts'
import { until } from './until.ts'

const MINUTE = 60_000
const MANY = Array.from({ length: 250 }, (_, index) => `${index}`)
const NAMES = new Map(['a', 'b', 'c', ...MANY].map((name) => [idOf(name), name]))
/** For a ticket of its own. */
const started: typeof startedFor = (name, time, more) =>
  startedFor(name, time, { context: { ticketId: `SUP-${name}` }, ...more })
const nameOf = (id: string) => NAMES.get(id) ?? '?'

/** Processes that share a storage and a clock. */
class Deployment {
  readonly store: AuditStore
  readonly alarms: Alarm[] = []
  /** What was handed to `send`, in the order in which that happened. */
  readonly sent: string[] = []
  time = T
  /** Of the deployment: answers, throws or hangs. */
  send: (name: string, signal: AbortSignal) => unknown = () => {}
  /** Before a notice is written. */
  write: () => unknown = () => {}
  /** Of a lead who is told of an alarm. */
  hear: () => unknown = () => {}
  readonly #outboxes: Outbox[] = []
  readonly #recorders: ReturnType<typeof recorderOn>[] = []

  constructor(store: AuditStore = memoryAudit()) {
    this.store = store
  }

  /** Starts another process. */
  start({ digest = 0, timeoutMs = 1000, atOnce = 16, interval = 2 } = {}): void {
    const notify = { when: ['started', 'ended'] as const, digest }
    const recording = recorderOn(this.store, { notify, alerts: true })
    this.#recorders.push(recording)
    const onAlarm = (alarm: Alarm) => {
      this.alarms.push(alarm)
      return this.hear()
    }
    this.#outboxes.push(
      startOutbox({
        ...{ interval, timeoutMs, atOnce, now: () => this.time, who: 'leads' },
        sources: [alarmAlerts(this.store, recording, onAlarm, (row) => row)],
      }),
      startOutbox({
        ...{ interval, timeoutMs, atOnce, now: () => this.time },
        who: 'customers',
        sources: [
          rowNotices(this.store, recording, async ({ id }, others, kinds, signal) => {
            await this.write()
            if (signal.aborted) return
            const names = [id, ...others.map((other) => other.id)].map(nameOf)
            const what = `${names.join(',')} ${kinds.join('+')}`
            this.sent.push(what)
            await this.send(what, signal)
          }),
        ],
      }),
    )
  }

  async record(...entries: readonly AuditEntry[]): Promise<void> {
    for (const entry of entries) await this.#recorders[0]?.record(entry)
  }

  /** What is stored of notices. */
  async told(): Promise<string[]> {
    const entries = await readOn(this.store)
    return entries.flatMap(({ text }) => {
      const { event, id, notice }: AuditEntry = JSON.parse(text ?? '{}')
      return notice ? `${event.slice(8)} ${nameOf(id ?? '')} ${notice.attempt}` : []
    })
  }

  /** Until so many were handed over, and what became of them is stored. */
  async settled(count: number): Promise<void> {
    await until(() => this.sent.length >= count)
    await until(async () => {
      const told = await this.told()
      return told.filter((each) => !each.startsWith('notifying')).length >= count
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const outbox of this.#outboxes) await outbox.stop()
    for (const recording of this.#recorders) await recording.close()
  }
}

/** Several looks of the outbox. */
const looks = () => new Promise((resolve) => setTimeout(resolve, 50))

describe('the outbox of notices', () => {
  const inDeployment = (use: (deployment: Deployment) => Promise<void>) => async () => {
    const { stderr } = await quietly(async () => {
      await using deployment = new Deployment()
      await use(deployment)
    })
    // Of an expectation that failed, the error says it.
    expect(stderr.filter((line) => !/telling customers failed/.test(line))).to.deep.equal([])
  }

  it(
    'tells a start, and the end with a little time for what is stored of it',
    inDeployment(async (deployment) => {
      deployment.start()
      await deployment.record(started('a', T))
      deployment.time = T + 1
      await deployment.settled(1)
      await deployment.record(ended('a', T + MINUTE))
      deployment.time = T + MINUTE + 10_000
      await looks()
      expect(deployment.sent).to.deep.equal(['a started'])
      deployment.time += 1
      await deployment.settled(2)
      expect(deployment.sent).to.deep.equal(['a started', 'a ended'])
      deployment.time += 9e8
      await looks()
      expect(deployment.sent, 'once').to.have.length(2)
      expect(await deployment.told()).to.deep.equal([
        ...['notifying a 1', 'notified a 1', 'notifying a 2', 'notified a 2'],
      ])
    }),
  )

  it(
    'makes one of a start and an end within the digest, and tells one that expires',
    inDeployment(async (deployment) => {
      deployment.start({ digest: 300 })
      await deployment.record(started('a', T), started('b', T), ended('a', T + 299_000))
      await deployment.record(started('c', T, { expiresAt: T / 1000 + 300 }))
      deployment.time = T + 300_001
      await deployment.settled(1)
      await looks()
      expect(deployment.sent, 'it runs').to.deep.equal(['b started'])
      deployment.time = T + 420_001
      await deployment.settled(3)
      expect(deployment.sent.slice(1)).to.have.members(['a started+ended', 'c started+ended'])
      deployment.time = T + 720_001
      await deployment.settled(4)
      expect(deployment.sent[3], 'expired').to.equal('b ended')
    }),
  )

  it(
    'tells of a ticket, and not of each start for it: what goes on within some seconds is one notice',
    inDeployment(async (deployment) => {
      deployment.start()
      const one = (name: string, time: number) =>
        startedFor(name, time, { expiresAt: time / 1000 + 900 })
      await deployment.record(one('a', T))
      deployment.time = T + 1
      await deployment.settled(1)
      // The page is loaded again twice: each time, it starts anew.
      await deployment.record(ended('a', T + 60_000), one('b', T + 65_000))
      deployment.time = T + 75_001
      await until(async () => (await deployment.told()).includes('joined b 1'))
      await until(async () => (await deployment.told()).includes('joined a 2'))
      await deployment.record(ended('b', T + 80_000), one('c', T + 90_000))
      deployment.time = T + 100_001
      await until(async () => (await deployment.told()).includes('joined b 2'))
      expect(deployment.sent).to.deep.equal(['a started'])
      await deployment.record(ended('c', T + 120_000))
      deployment.time = T + 130_001
      await until(() => deployment.sent.length === 2)
      expect(deployment.sent).to.deep.equal(['a started', 'c,b,a ended'])
      deployment.time += 9e8
      await looks()
      expect(deployment.sent, 'nothing is told twice').to.have.length(2)
    }),
  )

  it(
    'tells a start by itself that may do more than what was told, and one after a longer pause',
    inDeployment(async (deployment) => {
      deployment.start()
      await deployment.record(startedFor('a', T, { scope: 'read' }))
      deployment.time = T + 1
      await deployment.settled(1)
      await deployment.record(ended('a', T + 1000))
      await deployment.record(startedFor('b', T + 5000, { scope: 'read write' }))
      deployment.time = T + 5001
      await deployment.settled(2)
      await deployment.record(ended('b', T + 6000))
      deployment.time = T + 16_001
      await until(async () => (await deployment.told()).includes('notified b 2'))
      await deployment.record(startedFor('c', T + 16_002, { scope: 'read' }))
      deployment.time = T + 16_003
      await deployment.settled(4)
      expect(deployment.sent).to.deep.equal(['a started', 'b started', 'b,a ended', 'c started'])
    }),
  )

  it(
    'tells that it goes on where that takes longer than the digest, and what is over after a day',
    inDeployment(async (deployment) => {
      deployment.start({ digest: 600 })
      const HOUR = 60 * MINUTE
      const ONE = 9 * MINUTE
      await deployment.record(startedFor('a', T), ended('a', T + ONE))
      await deployment.record(startedFor('b', T + ONE + 1, { expiresAt: (T + 20 * MINUTE) / 1000 }))
      deployment.time = T + 11 * MINUTE + 1
      await deployment.settled(1)
      expect(deployment.sent).to.deep.equal(['a,b started'])
      await deployment.record(startedFor('c', T + 12 * MINUTE, { expiresAt: T / 1000 + 26 * 3600 }))
      deployment.time = T + 25 * HOUR
      await until(() => deployment.sent.length > 1)
      expect(deployment.sent[1]).to.match(/ended$/)
    }),
  )

  it(
    'tells what was put off where the one that should tell it does not come to that',
    inDeployment(async (deployment) => {
      deployment.start()
      const at = (name: string, time: number) =>
        startedFor(name, time, { expiresAt: time / 1000 + 60 })
      await deployment.record(at('a', T))
      deployment.time = T + 1
      await deployment.settled(1)
      await deployment.record(ended('a', T + 1000), at('b', T + 2000))
      deployment.time = T + 11_001
      await until(async () => (await deployment.told()).includes('joined a 2'))
      await removeOne(deployment.store, idOf('b'))
      deployment.time = T + 9e6
      await until(() => deployment.sent.length === 2)
      expect(deployment.sent).to.deep.equal(['a started', 'a ended'])
    }),
  )

  it(
    'tries again what fails, after 1, 5 and 30 minutes, with an alarm at the third failure',
    inDeployment(async (deployment) => {
      deployment.start()
      deployment.send = () => Promise.reject(new Error('550 no such mailbox'))
      await deployment.record(started('a', T, { expiresAt: T / 1000 + 9e5 }))
      deployment.time = T + 1
      for (const [index, pause] of [1, 5, 30].entries()) {
        await deployment.settled(index + 1)
        deployment.time += pause * MINUTE
        await looks()
        expect(deployment.alarms.map(({ kind }) => kind)).to.deep.equal(
          index === 2 ? ['not_notified'] : [],
        )
        expect(deployment.sent, 'not before').to.have.length(index + 1)
        deployment.send = () => Promise.reject(new Error('550 no such mailbox'))
        deployment.time += 1
      }
      deployment.send = () => {}
      await until(async () => (await deployment.told()).includes('notified a 4'))
      expect(new Set(deployment.sent), 'always the same').to.deep.equal(new Set(['a started']))
      expect(deployment.alarms).to.have.length(1)
    }),
  )

  it(
    'is not held up by one that hangs, tells it to stop, and tries it again',
    inDeployment(async (deployment) => {
      deployment.start({ timeoutMs: 200 })
      const late = Promise.withResolvers<void>()
      let isStopped = false
      deployment.send = (name, signal) => {
        if (!name.startsWith('a')) return undefined
        signal.addEventListener('abort', () => {
          isStopped = true
        })
        return late.promise
      }
      await deployment.record(started('a', T))
      deployment.time = T + 1
      await until(() => deployment.sent.length === 1)
      await deployment.record(started('b', T))
      await until(async () => (await deployment.told()).includes('notified b 1'))
      await until(async () => (await deployment.told()).includes('unnotified a 1'))
      expect(isStopped).to.equal(true)
      // Ten minutes later it succeeds after all: that is ignored, it was told again before.
      deployment.send = () => {}
      deployment.time += 10 * MINUTE
      await until(async () => (await deployment.told()).includes('notified a 2'))
      late.resolve()
      await looks()
      expect(deployment.sent).to.deep.equal(['a started', 'b started', 'a started'])
    }),
  )

  it('sends once where two processes find the same in the same moment', async () => {
    const store = memoryAudit()
    const looking: (() => void)[] = []
    const { stderr } = await quietly(async () => {
      await using deployment = new Deployment({
        ...store,
        async find(filter, page) {
          const found = await store.find(filter, page)
          if (filter.noticeDueBefore === undefined) return found
          await new Promise<void>((resolve) => {
            if (looking.push(resolve) < 2) return
            for (const goOn of looking.splice(0)) goOn()
          })
          return found
        },
      })
      deployment.start()
      deployment.start()
      const names = ['a', 'b', 'c']
      await deployment.record(...names.map((name) => started(name, T)))
      deployment.time = T + 1
      await deployment.settled(3)
      await looks()
      expect(deployment.sent.toSorted()).to.deep.equal(names.map((name) => `${name} started`))
    })
    expect(stderr).to.deep.equal([])
  })

  it(
    'sends again what a process began that was killed, when its attempt has lost its time',
    inDeployment(async (deployment) => {
      await put(deployment.store, started('a', T, notify(0)), told('notifying', 'a', T + 5000))
      deployment.start()
      deployment.time = T + 65_000
      await looks()
      expect(deployment.sent).to.deep.equal([])
      deployment.time += 1
      await deployment.settled(1)
      expect(await deployment.told()).to.deep.equal([
        'notifying a 1',
        'notifying a 2',
        'notified a 2',
      ])
    }),
  )

  it('tells all that is due in one look, the oldest first, and so many at once as the option says', async () => {
    const store = memoryAudit()
    let looksCount = 0
    const { stderr } = await quietly(async () => {
      await using deployment = new Deployment({
        ...store,
        find(filter, page) {
          if (filter.noticeDueBefore !== undefined) looksCount += 1
          return store.find(filter, page)
        },
      })
      await put(store, ...MANY.map((name, index) => started(name, T + index, notify(0))))
      deployment.time = T + MANY.length
      let [open, most] = [0, 0]
      deployment.send = async () => {
        open += 1
        most = Math.max(most, open)
        await looks()
        open -= 1
      }
      deployment.start({ atOnce: 50, interval: 3_600_000 })
      await until(async () => (await deployment.told()).length === 2 * MANY.length)
      expect(most).to.equal(50)
      // A younger one overtakes only those that are under way with it.
      for (const [index, name] of MANY.entries()) {
        const place = deployment.sent.indexOf(`${name} started`)
        expect(index - place, name).to.be.below(50)
      }
      expect(looksCount).to.equal(3)
    })
    expect(stderr).to.deep.equal([])
  })

  it(
    'leaves nothing of what was erased while it was told',
    inDeployment(async (deployment) => {
      const sending = Promise.withResolvers<void>()
      deployment.start()
      deployment.send = deployment.hear = () => sending.promise
      await deployment.record(started('a', T), replayed('a', T))
      deployment.time = T + 1
      while (deployment.sent.length === 0 || deployment.alarms.length === 0) await looks()
      expect(await removeOne(deployment.store, idOf('a'))).to.equal(1)
      sending.resolve()
      await looks()
      expect(await deployment.store.row(idOf('a'))).to.equal(undefined)
      const texts = (await readOn(deployment.store)).flatMap(({ text }) => text ?? [])
      expect(texts.join('\n')).not.to.match(/alice|support\./)
    }),
  )

  it('goes on where another process took what it found', async () => {
    const store = memoryAudit()
    const { stderr } = await quietly(async () => {
      await using deployment = new Deployment(store)
      await put(store, ...MANY.map((name, index) => started(name, T + index, notify(0))))
      deployment.time = T + MANY.length
      deployment.start()
      deployment.start()
      await deployment.settled(MANY.length)
      await looks()
      expect(deployment.sent.toSorted()).to.deep.equal(
        MANY.map((name) => `${name} started`).toSorted(),
      )
    })
    expect(stderr).to.deep.equal([])
  })

  it('sends nothing in an attempt that lost its time while it was stored', async () => {
    const store = memoryAudit()
    const { stderr } = await quietly(async () => {
      await using deployment: Deployment = new Deployment({
        ...store,
        async write(batch, deadline) {
          const isFirst = batch.entries.some(({ text }) => text.includes('"attempt":1'))
          const answer = await store.write(batch, deadline)
          if (isFirst) deployment.time += 60_000
          return answer
        },
      })
      deployment.start()
      await deployment.record(started('a', T))
      deployment.time = T + 1
      await until(async () => (await deployment.told()).length === 1)
      await looks()
      expect(deployment.sent).to.deep.equal([])
      deployment.time += 1
      await deployment.settled(1)
      expect(await deployment.told()).to.deep.equal([
        ...['notifying a 1', 'notifying a 2', 'notified a 2'],
      ])
    })
    expect(stderr).to.deep.equal([])
  })

  it(
    'sends nothing that took too long to be written',
    inDeployment(async (deployment) => {
      const written = Promise.withResolvers<void>()
      deployment.write = () => written.promise
      deployment.start({ timeoutMs: 20 })
      await deployment.record(started('a', T))
      deployment.time = T + 1
      await until(async () => (await deployment.told()).includes('unnotified a 1'))
      written.resolve()
      await looks()
      expect(deployment.sent).to.deep.equal([])
    }),
  )

  const NO_ERRORS: Record<string, unknown> = {
    nothing: undefined,
    'an object without a prototype': Object.create(null),
    'an object that throws': {
      get [Symbol.toPrimitive]() {
        throw new Error('no')
      },
    },
    'an error whose message is none': Object.assign(new Error('x'), { message: Symbol('x') }),
  }
  for (const [what, thrown] of Object.entries(NO_ERRORS)) {
    it(
      `counts as failed what rejects with ${what}`,
      inDeployment(async (deployment) => {
        deployment.send = () => Promise.reject(thrown)
        deployment.start()
        await deployment.record(started('a', T))
        deployment.time = T + 1
        await deployment.settled(1)
        expect(await deployment.told()).to.deep.equal(['notifying a 1', 'unnotified a 1'])
      }),
    )
  }

  it('waits while the storage fails, and goes on when it works', async () => {
    const store = memoryAudit()
    let isBroken = false
    const { stderr } = await quietly(async () => {
      await using deployment = new Deployment({
        ...store,
        find: (...args) =>
          isBroken ? Promise.reject(new Error('connection lost')) : store.find(...args),
      })
      deployment.start()
      await deployment.record(started('a', T))
      isBroken = true
      deployment.time = T + 1
      await looks()
      expect(deployment.sent).to.deep.equal([])
      isBroken = false
      await deployment.settled(1)
    })
    expect(stderr.filter((line) => line.includes('customers'))).to.deep.equal([
      'audit: customers are not told, until it works: connection lost',
      'audit: customers are told again',
    ])
  })
})
