import type { Provider } from 'oidc-provider-impersonation'
import { limitTime } from 'oidc-provider-impersonation/siblings'
import { stopSlot } from 'oidc-provider-impersonation-verify/chain'
import {
  type AuditEntry,
  type AuditRecord,
  isPermit,
  isStop,
  KINDS,
  may,
  type Named,
  type NoticeKind,
  present,
  reasonOf,
  type SaidEvent,
  type StopRecord,
  saidIn,
} from 'oidc-provider-impersonation-verify/format'
import { newId } from '../kernel/ids.ts'
import { log } from '../kernel/log-line.ts'
import { allRecords, readable } from '../ledger/readable.ts'
import { ledgerOf } from '../ledger/recording/ledger.ts'
import { type AddNames, naming } from '../ledger/recording/names.ts'
import type { AuditStore } from '../ledger/store.ts'
import { isMalformedCursor } from '../ledger/stores/cursor.ts'
import { type Decisions, decisions, factsOfRecord, permitsUnreadable } from './decide.ts'
import { END_TIMEOUT_MS, type Ends, endsOf, waitForEnds } from './ends.ts'
import { PermitError } from './errors.ts'
import { finishEnds } from './finish.ts'
import { findInForce, stoppedError } from './in-force.ts'
import { invalidInput, parseAccountId, parseNote } from './inputs.ts'
import { permitAt, type Stop, stopOf } from './record-at.ts'
import { type Deciders, type WhoOptions, whoOf } from './who.ts'

/** Deciders says something, and what they write. Deciders calls has authenticated the person, and no impersonation. */
export interface Saying {
  /** The account id. Absent where the deployment says it itself. */
  readonly by?: string | undefined
  /** At most 1,000 characters. */
  readonly note?: string | undefined
}

/** Deciders keeps an operator from starting. */
export interface Stopping {
  /** The account id. */
  readonly operator: string
  /** Deciders objected: it is for this customer then, and else for all. */
  readonly customer?: string | undefined
  readonly by: string
  readonly note?: string | undefined
  /** Of an objection: the impersonation, and when it was said before, in milliseconds since the epoch. */
  readonly objection?:
    | { readonly impersonation: string; readonly at?: number | undefined }
    | undefined
}

/** What became of it. */
export interface Stopped {
  /** The stop that holds; `undefined` where a person has lifted it since the objection. */
  readonly stop: StopRecord | undefined
  readonly isNew: boolean
  /** Whether nothing runs any more of what ends by it. */
  readonly isEnded: boolean
}

/** What the deployment says once there is a provider. */
export interface RecordsAttached {
  /** Whether a person is a lead now. */
  readonly isLead?: WhoOptions['isLead'] | undefined
  /** Names a person, for the entries. */
  readonly nameOf?:
    | ((accountId: string) => Named | undefined | Promise<Named | undefined>)
    | undefined
  /** What customers are told from now on. @defaultValue none */
  readonly notify?: readonly NoticeKind[] | undefined
}

/** Whatever waits for a word, and what was said: see `KINDS`. */
export interface Records {
  readonly store: AuditStore
  readonly decisions: Decisions
  readonly who: Deciders
  /** How long the storage, and the deployment, may take, in milliseconds. */
  readonly timeoutMs: number
  /** The clock, in milliseconds since the epoch. */
  now(): number
  /** @throws TypeError where another provider is attached, or it cannot end impersonations */
  attach(provider: Provider, more?: RecordsAttached): void
  readonly isAttached: boolean
  /** @throws Error before `attach` */
  attached(): Provider
  /** @throws PermitError where the storage fails, or does not answer in time */
  reading<T>(ask: () => Promise<T>): Promise<T>
  find(id: string): Promise<AuditRecord | undefined>
  /** Stores a new record: see {@link Decisions}. Names are added. */
  begin: Decisions['open']
  /**
   * Says something of a record, as the table of kinds has it, and carries out what follows.
   *
   * @throws PermitError for a person who may not, or where it cannot be said any more
   */
  say(id: string, event: SaidEvent, saying: Saying): Promise<AuditRecord>
  /** Keeps an operator from starting, and ends what they run there. One that holds stays as it is. */
  stop(stopping: Stopping): Promise<Stopped>
  /** Those that hold, the newest first. */
  stops(filter: {
    readonly customer?: string
    readonly operator?: string
  }): Promise<readonly Stop[]>
  /** What keeps an operator from starting as a customer. */
  findStop(operator: string, customer: string): Promise<StopRecord | undefined>
  /** Takes back the emergencies of others among these, and ends what runs under them. */
  revokeEmergencies(ids: readonly string[], by: string): Promise<void>
  /** Carries out what a record ends. @throws Error where that takes longer, or fails */
  end(record: AuditRecord, mostMs?: number): Promise<void>
  /** Marks a first entry, where the customer is to be told of it. */
  markFor(kind: NoticeKind): Pick<AuditEntry, 'toTell'>
  /** Stops what `attach` began. */
  close(): Promise<void>
}

export interface RecordsOptions extends Pick<WhoOptions, 'approvers'> {
  readonly audit: AuditStore
  readonly now: () => number
  readonly timeoutMs: number
  /** Whether the deployment is to be told of changes. */
  readonly alerts?: boolean | undefined
}

export function createRecords(options: RecordsOptions): Records {
  const { audit, approvers, now, timeoutMs, alerts } = options
  const ledger = ledgerOf(audit)
  const { store } = ledger
  const writes = decisions(ledger, { timeoutMs, alerts })
  let provider: Provider | undefined
  let given: RecordsAttached = {}
  let addNames: AddNames = async (entry) => entry
  let stopFinishing: (() => Promise<void>) | undefined
  const who = whoOf({ approvers, isLead: (id) => given.isLead?.(id) ?? false, timeoutMs })

  function attached(): Provider {
    if (provider) return provider
    throw new Error(
      'the permits are not attached: give them to supportConsole(provider, { permits }), or call permits.attach(provider)',
    )
  }

  const ends = (): Ends => endsOf({ store, decisions: writes, addNames, provider: attached(), now })

  async function reading<T>(ask: () => Promise<T>): Promise<T> {
    const late = () => new Error('it does not answer')
    return limitTime(timeoutMs, ask(), late).catch((cause) => {
      throw isMalformedCursor(cause)
        ? invalidInput('before is malformed')
        : permitsUnreadable(cause)
    })
  }

  const find = async (id: string) => readable(await reading(() => store.permit(id)))

  async function findStop(operator: string, customer: string): Promise<StopRecord | undefined> {
    const asking = { operators: [operator], customer, now: now() }
    return (await reading(() => findInForce(store, asking))).stop
  }

  async function end(record: AuditRecord, mostMs = END_TIMEOUT_MS): Promise<void> {
    await waitForEnds(mostMs, ends().carryOut(record, now()))
  }

  /** What fails, is tried again later. */
  const ended = (record: AuditRecord): Promise<boolean> =>
    end(record).then(
      () => true,
      (error: unknown) => {
        log(`what a decision ends is not ended yet: ${reasonOf(error)}`)
        return false
      },
    )

  async function say(id: string, event: SaidEvent, { by, note }: Saying): Promise<AuditRecord> {
    attached()
    const before = (await find(id)) ?? raise(noSuchRecord())
    // An erasure is confirmed by who carries it out.
    if (before.kind === 'erasure') throw mayNotSay(before, now())
    const { needsNote } = KINDS[before.kind].says[event] ?? {}
    const written = note === undefined && !needsNote ? {} : { note: parseNote(note) }
    if (by !== undefined) parseAccountId(by, 'by')
    // Approvers are asked in this moment: what was granted before stays.
    const about = isPermit(before) ? permitAt(before, now()) : before
    const person = await who.of(about, by, event)
    if (may(before, event, person, undefined) === 'who') throw mayNotSay(before, now())
    if (event === 'granted' && isPermit(before)) {
      const stop = await findStop(before.operator.id, before.customer.id)
      if (stop) throw stoppedError(stop)
    }
    const entry = { event: `support.${event}`, ...factsOfRecord(before), ...written } as const
    const { names } = await addNames({ ...entry, timeMs: now(), ...present({ by }) })
    const record = await writes.decide(id, (stored = raise(noSuchRecord())) => {
      // After the last entry, also where the clock was set back.
      const timeMs = Math.max(now(), stored.lastAt)
      const word = may(stored, event, person, timeMs)
      if (word === 'who') throw mayNotSay(stored, timeMs)
      if (word === 'state') throw decidedBefore(stored, timeMs)
      return { ...entry, timeMs, ...present({ by, need: word.need, names }) }
    })
    if (!record) throw noSuchRecord()
    if (KINDS[record.kind].says[event]?.ends) await ended(record)
    return record
  }

  return {
    store,
    decisions: writes,
    who,
    timeoutMs,
    now,
    attached,
    reading,
    find,
    findStop,
    end,
    say,
    get isAttached() {
      return provider !== undefined
    },
    attach(to, more = {}) {
      if (to?.impersonation?.canEnd !== true) {
        throw new TypeError(
          'permits.attach(provider) needs a Provider of oidc-provider-impersonation whose impersonations can be ended',
        )
      }
      if (provider && provider !== to) {
        throw new TypeError(
          'permits are attached already, to another provider: call createPermits() once for each provider',
        )
      }
      ledger.marks.attach(to)
      provider = to
      given = { ...given, ...more }
      addNames = naming(given.nameOf)
      stopFinishing ??= finishEnds({ store, provider, ends: ends(), now })
    },
    /** I17: one that cannot be read is left out here. It holds, and keeps from starting. */
    async stops(filter) {
      const held = { ...filter, state: 'stopped', notOverAt: now() } as const
      return (await reading(() => allRecords(store, held))).filter(isStop).map(stopOf)
    },
    async begin(slot, decide) {
      return writes.open(slot, async (holder, stored) => {
        const entry = await decide(holder, stored)
        return addNames(entry)
      })
    },
    async stop({ operator, customer, by, note, objection }) {
      attached()
      const entry: AuditEntry = {
        ...{ event: 'support.stopped', timeMs: now(), by, permit: newId() },
        mayAct: { sub: operator },
        ...present({ userId: customer, note }),
        ...(objection && { context: { impersonation: objection.impersonation } }),
      }
      const { names } = await addNames(entry)
      try {
        const record = await writes.open(stopSlot(operator, customer), (holder) => {
          // Only what was said before: clocks of processes differ.
          const isLifted =
            holder &&
            (saidIn(holder, 'lifted')?.at ?? 0) >= (objection?.at ?? Number.POSITIVE_INFINITY)
          if (isStop(holder) && (holder.state === 'stopped' || isLifted)) throw new Held(holder)
          const timeMs = Math.max(now(), holder?.lastAt ?? 0)
          return { ...entry, timeMs, ...present({ names }) }
        })
        const stop = isStop(record) ? record : undefined
        return { stop, isNew: true, isEnded: await ended(record) }
      } catch (error) {
        if (!(error instanceof Held)) {
          // I13: it is carried out in any case.
          const there = {
            operator: { id: operator },
            by: { id: by },
            ...(customer && { customer: { id: customer } }),
          }
          await waitForEnds(END_TIMEOUT_MS, ends().endOperator(there, now())).catch(() => {})
          throw error
        }
        const { holder } = error
        if (holder.state === 'lifted') return { stop: undefined, isNew: false, isEnded: false }
        return { stop: holder, isNew: false, isEnded: await ended(holder) }
      }
    },
    async revokeEmergencies(ids, by) {
      for (const id of ids) {
        const record = await find(id)
        const isOther = record?.operator?.id !== by
        if (isPermit(record) && record.kind === 'emergency' && isOther) {
          await ends().revoke(record, by)
          await ended((await find(id)) ?? record)
        }
      }
    },
    markFor(kind) {
      return given.notify?.includes(kind) ? { toTell: [{ to: 'customer', kind }] } : {}
    },
    async close() {
      const running = stopFinishing
      // Attached again, it begins again.
      stopFinishing = undefined
      await running?.()
    },
  }
}

export const noSuchRecord = () => new PermitError('not_found', 'there is no such record')

const shownIn = (record: AuditRecord, now: number) =>
  isPermit(record) ? permitAt(record, now) : undefined

function mayNotSay(record: AuditRecord, now: number): PermitError {
  const permit = shownIn(record, now)
  return new PermitError('access_denied', 'you may not decide on this', { permit })
}

function decidedBefore(record: AuditRecord, now: number): PermitError {
  const message = 'this is decided already, or cannot be decided any more'
  return new PermitError('decided', message, { permit: shownIn(record, now) })
}

/** There is one already, or it was lifted since. */
class Held extends Error {
  readonly holder: StopRecord

  constructor(holder: StopRecord) {
    super('there is a stop already')
    this.holder = holder
  }
}

function raise(error: Error): never {
  throw error
}
