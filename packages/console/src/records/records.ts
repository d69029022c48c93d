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
  reasonOf,
  type SaidEvent,
  type StopRecord,
  saidIn,
} from 'oidc-provider-impersonation-verify/format'
import { newId } from '../kernel/ids.ts'
import { log } from '../kernel/log-line.ts'
import { Problem } from '../kernel/problem.ts'
import type { PermitFilter } from '../ledger/filters.ts'
import { allRecords, readable } from '../ledger/readable.ts'
import { ledgerOf } from '../ledger/recording/ledger.ts'
import { type AddNames, naming } from '../ledger/recording/names.ts'
import type { AuditStore } from '../ledger/store.ts'
import { type DecideNew, decisions, factsOfRecord, permitsUnreadable } from './decide.ts'
import { END_TIMEOUT_MS, endsOf, waitForEnds } from './ends.ts'
import { PermitError } from './errors.ts'
import { finishEnds } from './finish.ts'
import { findInForce, stoppedError } from './in-force.ts'
import { invalidInput, parseAccountId, parseNote } from './inputs.ts'
import { recordAt, type Stop } from './record-at.ts'
import { type IsLead, whoOf } from './who.ts'

/** A word of a person, whom the caller has authenticated, and no impersonation. */
export interface Saying {
  /** The account id. Absent where the deployment says it itself. */
  readonly by?: string | undefined
  /** At most 1,000 characters. */
  readonly note?: string | undefined
}

/** A person keeps an operator from starting. */
export interface Stopping {
  /** The account id. */
  readonly operator: string
  /** The one who objected: it is for this customer then, and else for all. */
  readonly customer?: string | undefined
  readonly by: string
  readonly note?: string | undefined
  /** Of an objection: the impersonation, and when it was said before, in milliseconds since the epoch. */
  readonly objection?:
    | { readonly impersonation: string; readonly at?: number | undefined }
    | undefined
}

/** What the deployment says once there is a provider. */
export interface RecordsAttached {
  /** Whether a person is a lead now. */
  readonly isLead?: IsLead | undefined
  /** Names a person, for the entries. */
  readonly nameOf?:
    | ((accountId: string) => Named | undefined | Promise<Named | undefined>)
    | undefined
  /** What customers are told from now on. @defaultValue none */
  readonly notify?: readonly NoticeKind[] | undefined
}

/** Whatever waits for a word, and what was said: see `KINDS`. */
export type Records = ReturnType<typeof createRecords>

/**
 * @param options.timeoutMs how long the storage, and the deployment, may take
 * @param options.alerts whether the deployment is to be told of changes
 */
export function createRecords({
  audit,
  approvers,
  now,
  timeoutMs,
  alerts,
}: {
  readonly audit: AuditStore
  readonly approvers?: Parameters<typeof whoOf>[0]
  readonly now: () => number
  readonly timeoutMs: number
  readonly alerts?: boolean
}) {
  const ledger = ledgerOf(audit)
  const { store } = ledger
  const writes = decisions(ledger, timeoutMs, alerts)
  let provider: Provider | undefined
  let given: RecordsAttached = {}
  let addNames: AddNames = async (entry) => entry
  let stopFinishing: (() => Promise<void>) | undefined
  const who = whoOf(approvers, (id) => given.isLead?.(id) ?? false, timeoutMs)

  /** @throws Error before `attach` */
  function attached(): Provider {
    if (provider) return provider
    throw new Error(
      'the permits are not attached: give them to supportConsole(provider, { permits }), or call permits.attach(provider)',
    )
  }

  const ends = () => endsOf(store, writes, addNames, attached(), now)

  /** @throws PermitError where the storage fails, or does not answer in time */
  async function reading<T>(ask: () => Promise<T>): Promise<T> {
    const late = () => new Error('it does not answer')
    return limitTime(timeoutMs, ask(), late).catch((cause) => {
      const isOfCaller = cause instanceof Problem && cause.statusCode === 400
      throw isOfCaller ? invalidInput('before is malformed') : permitsUnreadable(cause)
    })
  }

  const find = async (id: string) => readable(await reading(() => store.permit(id)))

  /** What keeps an operator from starting as a customer. */
  async function findStop(operator: string, customer: string): Promise<StopRecord | undefined> {
    return (await reading(() => findInForce(store, [operator], customer, now()))).stop
  }

  /** Carries out what a record ends. @throws Error where that takes longer, or fails */
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

  /**
   * Says something of a record, as the table of kinds has it, and carries out what follows.
   *
   * @throws PermitError for a person who may not, or where it cannot be said any more
   */
  async function say(id: string, event: SaidEvent, { by, note }: Saying): Promise<AuditRecord> {
    attached()
    const before = (await find(id)) ?? raise(noSuchRecord())
    // An erasure is confirmed by who carries it out.
    if (before.kind === 'erasure') throw mayNotSay(before, now())
    const { needsNote } = KINDS[before.kind].says[event] ?? {}
    const written = note === undefined && !needsNote ? undefined : parseNote(note)
    if (by !== undefined) parseAccountId(by, 'by')
    // Approvers are asked in this moment: what was granted before stays.
    const person = await who.of(recordAt(before, now()), by, event)
    if (may(before, event, person, undefined) === 'who') throw mayNotSay(before, now())
    if (event === 'granted' && isPermit(before)) {
      const stop = await findStop(before.operator.id, before.customer.id)
      if (stop) throw stoppedError(stop)
    }
    const entry = {
      event: `support.${event}`,
      ...factsOfRecord(before),
      by,
      note: written,
    } as const
    const { names } = await addNames({ ...entry, timeMs: now() })
    const record = await writes.decide(id, (stored = raise(noSuchRecord())) => {
      // After the last entry, also where the clock was set back.
      const timeMs = Math.max(now(), stored.lastAt)
      const word = may(stored, event, person, timeMs)
      if (word === 'who') throw mayNotSay(stored, timeMs)
      if (word === 'state') throw decidedBefore(stored, timeMs)
      return { ...entry, timeMs, need: word.need, names }
    })
    if (!record) throw noSuchRecord()
    if (KINDS[record.kind].says[event]?.ends) await ended(record)
    return record
  }

  return {
    store,
    decisions: writes,
    who,
    /** How long the storage, and the deployment, may take, in milliseconds. */
    timeoutMs,
    /** The clock, in milliseconds since the epoch. */
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
    /** @throws TypeError where another provider is attached, or it cannot end impersonations */
    attach(to: Provider, more: RecordsAttached = {}): void {
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
      stopFinishing ??= finishEnds(store, provider, ends(), now)
    },
    /** Those that hold, the newest first. I17: one that cannot be read holds, and is left out. */
    async stops(filter: Pick<PermitFilter, 'customer' | 'operator'>): Promise<readonly Stop[]> {
      const held = { ...filter, state: 'stopped', notOverAt: now() } as const
      const found = await reading(() => allRecords(store, held))
      return found.filter(isStop).map((each) => recordAt(each, now()))
    },
    /** Stores a new record, with names: see {@link Decisions}. */
    begin: (slot: string, decide: DecideNew) =>
      writes.open(slot, async (...holder) => addNames(await decide(...holder))),
    /**
     * Keeps an operator from starting, and ends what they run there. One that holds stays as it is.
     *
     * @returns `stop`: absent where a person has lifted it since the objection. `isEnded`: whether nothing runs any
     * more of what ends by it
     */
    async stop({ operator, customer, by, note, objection }: Stopping) {
      attached()
      const entry: AuditEntry = {
        event: 'support.stopped',
        timeMs: now(),
        by,
        permit: newId(),
        mayAct: { sub: operator },
        userId: customer,
        note,
        context: objection && { impersonation: objection.impersonation },
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
          return { ...entry, timeMs, names }
        })
        const stop = isStop(record) ? record : undefined
        return { stop, isNew: true, isEnded: await ended(record) }
      } catch (error) {
        if (!(error instanceof Held)) {
          // I13: it is carried out in any case.
          const there = {
            operator: { id: operator },
            by: { id: by },
            customer: customer === undefined ? undefined : { id: customer },
          }
          await waitForEnds(END_TIMEOUT_MS, ends().endOperator(there, now())).catch(() => {})
          throw error
        }
        const { holder } = error
        if (holder.state === 'lifted') return { stop: undefined, isNew: false, isEnded: false }
        return { stop: holder, isNew: false, isEnded: await ended(holder) }
      }
    },
    /** Takes back the emergencies of others among these, and ends what runs under them. */
    async revokeEmergencies(ids: readonly string[], by: string): Promise<void> {
      for (const id of ids) {
        const record = await find(id)
        const isOther = record?.operator?.id !== by
        if (isPermit(record) && record.kind === 'emergency' && isOther) {
          await ends().revoke(record, by)
          await ended((await find(id)) ?? record)
        }
      }
    },
    /** Of a first entry: whether the customer is to be told of it. */
    toTell: (kind: NoticeKind): AuditEntry['toTell'] =>
      given.notify?.includes(kind) ? [{ to: 'customer', kind }] : undefined,
    /** Stops what `attach` began. */
    async close(): Promise<void> {
      const running = stopFinishing
      // Attached again, it begins again.
      stopFinishing = undefined
      await running?.()
    },
  }
}

export const noSuchRecord = () => new PermitError('not_found', 'there is no such record')

const shownIn = (record: AuditRecord, now: number) =>
  isPermit(record) ? recordAt(record, now) : undefined

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
