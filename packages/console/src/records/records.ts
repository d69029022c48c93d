import type { Provider } from 'oidc-provider-impersonation'
import { limitTime } from 'oidc-provider-impersonation/siblings'
import {
  type AuditEntry,
  type AuditRecord,
  isPermit,
  isStop,
  KINDS,
  may,
  type NoticeKind,
  type SaidEvent,
  type Speaking,
  saidIn,
} from 'oidc-provider-impersonation-verify/format'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import type { PermitFilter } from '../ledger/filters.ts'
import { allRecords, readable } from '../ledger/readable.ts'
import { ledgerOf } from '../ledger/recording/ledger.ts'
import { type AddNames, type NameOf, naming } from '../ledger/recording/names.ts'
import type { AuditStore } from '../ledger/store.ts'
import { type Check, decisions } from './decide.ts'
import { endedInTime, endsOf } from './ends.ts'
import { noSuchRecord, PermitError, permitsUnreadable } from './errors.ts'
import { finishEnds } from './finish.ts'
import { findInForce, stoppedError } from './in-force.ts'
import { invalidInput, parseAccountId, parseNote } from './inputs.ts'
import { permitAt, recordAt, type Stop } from './record-at.ts'
import { type FindApprovers, type IsLead, whoOf } from './who.ts'

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

/** The part of the deployment that needs a provider. */
export interface RecordsAttached {
  /** Checks whether a person is a lead now. */
  readonly isLead?: IsLead | undefined
  /** Names a person, for the entries. */
  readonly nameOf?: NameOf | undefined
  /** The notices for customers, from now on. @defaultValue none */
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
  readonly approvers?: FindApprovers | undefined
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
  const who = whoOf(approvers, (id) => given.isLead?.(id) ?? false, now, timeoutMs)
  const ends = endsOf(store, add, attached, now)

  /** @throws Error before `attach` */
  function attached(): Provider {
    if (provider) return provider
    throw new Error(
      'the permits are not attached: give them to supportConsole(provider, { permits }), or call permits.attach(provider)',
    )
  }

  /** @throws PermitError if the storage fails, or does not answer in time */
  async function reading<T>(ask: () => Promise<T>): Promise<T> {
    return limitTime(timeoutMs, ask()).catch((cause) => {
      const isOfCaller = cause instanceof Problem && cause.statusCode === 400
      throw isOfCaller ? invalidInput('before is malformed') : permitsUnreadable(cause)
    })
  }

  const find = async (id: string) => readable(await reading(() => store.permit(id)))

  /** Finds records, the newest first. I17: one that cannot be read is left out. @param most about so many */
  const list = (filter: PermitFilter, most?: number) =>
    reading(() => allRecords(store, filter, most))

  /** Finds what keeps an operator from starting as a customer. */
  async function findStop(operator: string, customer: string) {
    return (await reading(() => findInForce(store, [operator], customer, now()))).stop
  }

  /** @throws PermitError while the operator may not start as the customer */
  async function assertNotStopped(operator: string, customer: string) {
    const stop = await findStop(operator, customer)
    if (stop) throw stoppedError(stop)
  }

  /** Carries out what a record ends. If it fails, it is tried again later. */
  const ended = (record: AuditRecord) =>
    endedInTime('what a decision ends is not ended yet', ends.carryOut(record, now()))

  /** Begins a record, with names, unless the newest one of its slot is kept. */
  async function begin(about: Omit<AuditEntry, 'timeMs'>, check: Check) {
    attached()
    const entry = await addNames({ permit: newId(), ...about, timeMs: now() })
    const record = await writes.begin(entry, check, now)
    return { record, isNew: record.id === entry.permit }
  }

  /** Adds an event, as the table of kinds has it. @throws PermitError if it does not fit any more */
  async function add(about: AuditRecord, event: SaidEvent, person: Speaking, note?: string) {
    const { id, customer, operator, application } = about
    const mayAct = operator && { sub: operator.id, clientId: application }
    const said = { event: `support.${event}`, by: person.id, note } as const
    const entry = { ...said, permit: id, userId: customer?.id, mayAct }
    const { names } = await addNames({ ...entry, timeMs: now() })
    return writes.decide(id, async (stored) => {
      // After the last entry, also if the clock was set back.
      const timeMs = Math.max(now(), stored.lastAt)
      const word = may(stored, event, person, timeMs)
      if (word !== 'who' && event === 'granted' && isPermit(stored)) {
        await assertNotStopped(stored.operator.id, stored.customer.id)
      }
      if (typeof word === 'string') throw refusalOf(word, stored, timeMs)
      return { ...entry, timeMs, need: word.need, names }
    })
  }

  /**
   * Adds the word of a person, and carries out what follows.
   *
   * @throws PermitError for a person who may not, or if it cannot be said any more
   */
  async function say(id: string, event: SaidEvent, { by, note }: Saying) {
    attached()
    const before = await find(id)
    if (!before) throw noSuchRecord()
    // An erasure is confirmed by who carries it out.
    if (before.kind === 'erasure') throw refusalOf('who', before, now())
    const { needsNote, ends } = KINDS[before.kind].says[event] ?? {}
    if (needsNote && note === undefined) throw invalidInput('note is required')
    const written = note === undefined ? undefined : parseNote(note)
    if (by !== undefined) parseAccountId(by, 'by')
    // Approvers are asked in this moment: what was granted before stays.
    const record = await add(before, event, await who.of(before, by), written)
    if (ends) await ended(record)
    return record
  }

  return {
    store,
    decisions: writes,
    who,
    /** The time that the storage, and the deployment, may take, in milliseconds. */
    timeoutMs,
    /** The clock, in milliseconds since the epoch. */
    now,
    attached,
    reading,
    find,
    list,
    findStop,
    assertNotStopped,
    ended,
    begin,
    say,
    get isAttached() {
      return provider !== undefined
    },
    /** @throws TypeError if another provider is attached, or it cannot end impersonations */
    attach(to: Provider, more: RecordsAttached = {}) {
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
      stopFinishing ??= finishEnds(store, provider, ends, now)
    },
    /** Those that hold, the newest first. One that cannot be read holds, and is left out. */
    async stops(filter: Pick<PermitFilter, 'customer' | 'operator'> = {}) {
      const found = await list({ ...filter, state: 'stopped', notOverAt: now() })
      return found.filter(isStop).map((each) => recordAt(each, now()))
    },
    /**
     * Keeps an operator from starting, and ends what they run there. One that holds stays as it is.
     *
     * @returns `stop`: absent if a person has lifted it since the objection. `isEnded`: whether nothing runs any
     * more of what ends by it
     */
    async stop({ operator, customer, by, note, objection }: Stopping) {
      // Without one, what everybody runs would be ended.
      parseAccountId(operator, 'operator')
      if (customer !== undefined) parseAccountId(customer, 'customer')
      const { record, isNew } = await begin(
        {
          event: 'support.stopped',
          by,
          mayAct: { sub: operator },
          userId: customer,
          note,
          context: objection && { impersonation: objection.impersonation },
        },
        (holder) => {
          const { at: liftedAt = 0 } = (holder && saidIn(holder, 'lifted')) ?? {}
          // Only what was said before: clocks of processes differ.
          const isLifted = liftedAt >= (objection?.at ?? Number.POSITIVE_INFINITY)
          return holder?.state === 'stopped' || isLifted || undefined
        },
      ).catch(async (error: unknown) => {
        // I13: it is carried out in any case.
        const there = {
          operator: { id: operator },
          by: { id: by },
          customer: customer === undefined ? undefined : { id: customer },
        }
        await endedInTime('what an operator runs is not ended', ends.endIssued(there, now()))
        throw error
      })
      const stop = isStop(record) && record.state === 'stopped' ? record : undefined
      return { stop, isNew, isEnded: stop !== undefined && (await ended(stop)) }
    },
    /** Lifts a stop, with a note. */
    async lift(id: string, saying: Saying & { readonly note: string }): Promise<Stop> {
      const record = await say(id, 'lifted', saying)
      if (isStop(record)) return recordAt(record, now())
      throw noSuchRecord()
    },
    /** Takes back the emergencies of others among these, and ends what runs under them. */
    async revokeEmergencies(ids: readonly string[], by: string) {
      for (const id of ids) {
        const record = await find(id)
        if (record?.kind === 'emergency' && record.operator?.id !== by) {
          await ended((await ends.revoke(record, by)) ?? record)
        }
      }
    },
    /** Of a first entry: whether the customer is to be told of it. */
    toTell: (kind: NoticeKind): AuditEntry['toTell'] =>
      given.notify?.includes(kind) ? [{ to: 'customer', kind }] : undefined,
    /** Stops what `attach` began. */
    async close() {
      const running = stopFinishing
      // Attached again, it begins again.
      stopFinishing = undefined
      await running?.()
    },
  }
}

const REFUSALS = {
  who: ['access_denied', 'you may not decide on this'],
  state: ['decided', 'this is decided already, or cannot be decided any more'],
} as const

function refusalOf(obstacle: 'state' | 'who', record: AuditRecord, now: number) {
  const [error, message] = REFUSALS[obstacle]
  return new PermitError(error, message, { permit: permitAt(record, now) })
}
