import { expect } from 'chai'
import type { AuditEntry } from 'oidc-provider-impersonation-verify/format'
import {
  type Alarm,
  alarmAlerts,
  type OnAlarm,
} from '../../../src/features/alarms/server/alarms.ts'
import { startOutbox } from '../../../src/ledger/outbox/outbox.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { recorderOn } from '../../ledger/recording/recorder-on.ts'
import {
  act,
  ended,
  idOf,
  issued,
  readOn,
  replayed,
  T,
  used,
} from '../../ledger/stores/contract/support.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { quietly } from '../../support/quietly.ts'
import { until } from '../notices/until.ts'

const MINUTE = 60_000
const urlOf = (row: string) => `https://id.example.com/console/audit/${row}`
const refusedUse = (time: number, path = '/orders') =>
  used('a', time, { path, refused: { by: 'scope', description: 'd' } })

/** A process that hands alarms over, with a clock of its own. */
class Handing {
  readonly told: Alarm[] = []
  readonly store: AuditStore
  readonly recorder: ReturnType<typeof recorderOn>
  time = T + MINUTE
  onAlarm: OnAlarm = () => {}
  readonly #outbox: ReturnType<typeof startOutbox>

  constructor(store: AuditStore = memoryAudit(), timeoutMs = 1000) {
    this.store = store
    this.recorder = recorderOn(store, { alerts: true })
    const hand: OnAlarm = (alarm, options) => {
      this.told.push(alarm)
      return this.onAlarm(alarm, options)
    }
    this.#outbox = startOutbox({
      ...{ who: 'leads', interval: 2, timeoutMs, now: () => this.time },
      sources: [alarmAlerts(store, this.recorder, hand, urlOf)],
    })
  }

  async record(...entries: readonly AuditEntry[]): Promise<void> {
    for (const entry of entries) await this.recorder.record(entry)
  }

  /** Until what became of so many attempts is stored. */
  async settled(count: number): Promise<void> {
    await until(async () => (await this.outcomes()).length >= count)
  }

  async outcomes(): Promise<string[]> {
    const entries = (await readOn(this.store)).map(({ text }) => JSON.parse(text ?? '{}'))
    return entries.flatMap(({ event, alert }) =>
      /support\.(?:un)?alerted/.test(event) ? `${event.slice(8)} ${alert.kind} ${alert.count}` : [],
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#outbox.stop()
    await this.recorder.close()
  }
}

/** Several looks of the outbox. */
const looks = () => new Promise((resolve) => setTimeout(resolve, 30))

describe('alarms', () => {
  const handing = (use: (handing: Handing) => Promise<void>) => async () => {
    await quietly(async () => {
      await using each = new Handing()
      await use(each)
    })
  }

  it(
    'are handed over once each, after they were stored, with time, facts and page; no refused act by itself',
    handing(async (process) => {
      const { told } = process
      await process.record(
        ...[issued('a', T), replayed('a', T + 1), used('a', T + 2), refusedUse(T + 3)],
        ended('a', T + 4, { end: { at: 1, cause: 'user' } }),
        act('objected', 'a', T + 5, { note: 'not me' }),
        act('acknowledged', 'a', T + 6, { alarms: 2 }),
      )
      await process.settled(2)
      await looks()
      expect(new Set(told.map(({ kind, timeMs }) => `${kind} ${timeMs - T}`))).to.deep.equal(
        new Set(['replayed 1', 'objection 5']),
      )
      expect(told).to.have.length(2)
      expect(told[0]?.impersonation).to.include({ id: idOf('a'), replays: 1 })
      expect(told[0]?.impersonation).to.not.have.any.keys('alert', 'notice')
      expect(told[0]?.url).to.equal(urlOf(idOf('a')))
      expect(new Set(told.map(({ id }) => id)).size).to.equal(2)
      expect(told[0]?.id).to.match(/^[\w-]{43}$/)
    }),
  )

  it(
    'are not handed over again and again where the same happens again: refusals when they are an alarm together',
    handing(async (process) => {
      const { told } = process
      for (let index = 0; index < 50; index += 1) {
        await process.record(
          ...(index < 20 ? [replayed('a', T + index)] : []),
          refusedUse(T + index, `/orders/${index}`),
        )
      }
      await until(async () => (await process.outcomes()).includes('alerted refused 5'))
      await looks()
      const kinds = told.map(({ kind }) => kind)
      expect(kinds.filter((each) => each === 'replayed')).to.have.length(1)
      expect(kinds.filter((each) => each === 'refused').length).to.be.within(1, 5)
    }),
  )

  it(
    'come again after a failure, with the same id and longer pauses, and no more once they were told',
    handing(async (process) => {
      process.onAlarm = () => Promise.reject(new Error('no pager'))
      await process.record(replayed('a', T))
      await process.settled(1)
      process.time += MINUTE - 1
      await looks()
      expect(process.told, 'not before').to.have.length(1)
      process.time += 2
      process.onAlarm = () => {}
      await process.settled(2)
      process.time += 9e8
      await looks()
      expect(await process.outcomes()).to.deep.equal(['unalerted replayed 1', 'alerted replayed 1'])
      expect(new Set(process.told.map(({ id }) => id)).size).to.equal(1)
    }),
  )

  it('come again in another process where one was killed while it told', async () => {
    const store = memoryAudit()
    await quietly(async () => {
      await using killed = new Handing(store)
      const hangs = Promise.withResolvers<void>()
      killed.onAlarm = () => hangs.promise
      await killed.record(replayed('a', T))
      await until(() => killed.told.length === 1)
      await using other = new Handing(store)
      await looks()
      expect(other.told, 'the attempt of the first holds').to.have.length(0)
      other.time += MINUTE + 1
      await other.settled(1)
      expect(other.told.map(({ id }) => id)).to.deep.equal(killed.told.map(({ id }) => id))
      hangs.resolve()
    })
  })

  it('of one impersonation hold up no other, also where the function hangs or throws', async () => {
    const { stderr } = await quietly(async () => {
      await using process = new Handing(memoryAudit(), 50)
      process.onAlarm = ({ impersonation }) => {
        if (impersonation.id === idOf('a')) return new Promise(() => {})
        if (impersonation.id === idOf('b')) return expect.fail('no pager\n\u001b[2J')
        return undefined
      }
      await process.record(replayed('a', T), replayed('b', T), replayed('c', T))
      await process.settled(3)
      expect((await process.outcomes()).toSorted()).to.deep.equal([
        ...['alerted replayed 1', 'unalerted replayed 1', 'unalerted replayed 1'],
      ])
    })
    expect(stderr.join('\n'))
      .to.contain('it took too long')
      .and.contain('no pager\\u000a\\u001b[2J')
  })

  it('that were stored where nobody wants to be told are not handed over later', async () => {
    const store = memoryAudit()
    await quietly(async () => {
      const { record, close } = recorderOn(store)
      await record(replayed('a', T))
      await close()
      await using process = new Handing(store)
      await process.record(replayed('b', T))
      await process.settled(1)
      await looks()
      expect(process.told.map(({ impersonation }) => impersonation.id)).to.deep.equal([idOf('b')])
    })
  })
})
