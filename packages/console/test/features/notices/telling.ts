import type { Audience, AuditEntry } from 'oidc-provider-impersonation-verify/format'
import { type Alarm, alarmsToTell } from '../../../src/features/alarms/server/alarms.ts'
import { ticketsToTell, toldOfStarts } from '../../../src/features/notices/server/start.ts'
import { type Outbox, startOutbox } from '../../../src/ledger/outbox/outbox.ts'
import { auditLog } from '../../../src/ledger/recording/log.ts'
import { type Recorder, recorder } from '../../../src/ledger/recording/recorder.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { idOf, MARKS, many, readOn, T } from '../../ledger/stores/contract/support.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { quietly } from '../../support/quietly.ts'
import { until } from './until.ts'

export const MINUTE = 60_000
export const MANY = many(250, (index) => `${index}`)
const NAMES = new Map(['a', 'b', 'c', 'd', ...MANY].map((name) => [idOf(name), name]))
const nameOf = (id = '') => NAMES.get(id) ?? '?'

/** Several looks of the outbox. */
export const looks = () => new Promise((resolve) => setTimeout(resolve, 50))

/** Processes that share a storage and a clock, and tell customers, and leads of alarms. */
export class Deployment {
  readonly store: AuditStore
  readonly alarms: Alarm[] = []
  /** Sent messages, in their order. */
  readonly sent: string[] = []
  readonly ids: string[] = []
  time = T
  /** Answers, throws or hangs. */
  send: (what: string, signal: AbortSignal) => unknown = () => {}
  readonly #outboxes: Outbox[] = []
  readonly #recorders: Recorder[] = []

  constructor(store: AuditStore = memoryAudit()) {
    this.store = store
  }

  /** Starts another process. */
  start({ digest = 0, timeoutMs = 1000, atOnce = 16, interval = 2 } = {}) {
    const notify = toldOfStarts(['started', 'ended'], digest)
    const recording = recorder(auditLog(this.store, MARKS), { notify, alerts: true })
    this.#recorders.push(recording)
    const tell = async (id: string, what: string, signal: AbortSignal) => {
      this.sent.push(what)
      this.ids.push(id)
      await this.send(what, signal)
    }
    const options = { interval, timeoutMs, atOnce, now: () => this.time, recorder: recording }
    const onAlarm = (alarm: Alarm, { signal }: { signal: AbortSignal }) => {
      this.alarms.push(alarm)
      return tell(alarm.id, `${nameOf(alarm.impersonation.id)} ${alarm.kind}`, signal)
    }
    const tickets = ticketsToTell(this.store, (id, { kind, ...told }, signal) => {
      const rows = 'rows' in told ? told.rows : []
      return tell(id, `${rows.map((row) => nameOf(row.id))} ${kind}`, signal)
    })
    const alarms = alarmsToTell(this.store, onAlarm, (row) => `/audit/${row}`)
    this.#outboxes.push(
      startOutbox({ ...options, to: 'deployment', who: 'leads', sources: [alarms] }),
      startOutbox({
        ...options,
        to: 'customer',
        who: 'customers',
        sources: [tickets],
      }),
    )
  }

  async record(...entries: readonly AuditEntry[]) {
    for (const entry of entries) await this.#recorders[0]?.record(entry)
  }

  /** The stored deliveries: `told a 1`. */
  async told() {
    const deliveries = await this.#deliveries()
    return deliveries.map(({ event, id, attempt }) => `${event} ${nameOf(id)} ${attempt}`)
  }

  async #deliveries() {
    return (await readOn(this.store)).flatMap(({ text }) => {
      const { event, id, delivery }: AuditEntry = JSON.parse(text ?? '{}')
      return delivery ? { event: event.slice(8), id, ...delivery } : []
    })
  }

  /** Moves the clock, and waits until what is due is told, and that is stored. */
  async at(time: number) {
    this.time = time
    await until(async () => {
      const last = new Map(
        (await this.#deliveries()).map(({ event, id, to }) => [`${id} ${to}`, event]),
      )
      return !(await this.#isDue()) && ![...last.values()].includes('telling')
    })
  }

  async #isDue() {
    const find = (to: Audience) =>
      this.store.find({ due: { to, before: this.time } }, { limit: 1, now: this.time })
    const found = [await find('customer'), await find('deployment')]
    return found.some(({ rows }) => rows.length > 0)
  }

  async [Symbol.asyncDispose]() {
    for (const outbox of this.#outboxes) await outbox.stop()
    for (const recording of this.#recorders) await recording.close()
  }
}

/** A test in such a deployment. @returns what stderr says, beside failures */
export function inDeployment(
  use: (deployment: Deployment) => Promise<void>,
  store?: (deployment: () => Deployment) => AuditStore,
) {
  return async () => {
    const { stderr } = await quietly(async () => {
      await using deployment: Deployment = new Deployment(store?.(() => deployment))
      await use(deployment)
    })
    return stderr.filter((line) => !/failed, and is tried again|the storage takes/.test(line))
  }
}
