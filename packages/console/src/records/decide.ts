import { limitTime } from 'oidc-provider-impersonation/siblings'
import {
  type AuditEntry,
  type AuditRecord,
  changeOf,
  foldRecord,
  parseRecord,
  reasonOf,
  type StoredRecord,
} from 'oidc-provider-impersonation-verify/format'
import { lineOf, log } from '../kernel/log-line.ts'
import { takingTurns } from '../kernel/turns.ts'
import { readable } from '../ledger/readable.ts'
import type { Ledger } from '../ledger/recording/ledger.ts'
import { NothingDecided } from '../ledger/recording/log.ts'
import type { Batch, KeptRecord } from '../ledger/store.ts'
import { tellDeployment } from '../ledger/to-tell.ts'
import { PermitError } from './errors.ts'

/** How often a decision is made again where another one came first. */
const MAX_ATTEMPTS = 5

/** What is left of the time of a decision, in milliseconds. */
type Left = () => number

/** Makes an entry from what is stored, or throws. It is called again where that has changed. */
export type Decide = (stored: AuditRecord | undefined) => AuditEntry

/**
 * The same for a new permit.
 *
 * @param holder the newest permit with the slot; `undefined` for one that cannot be read
 * @param stored the same, as it is stored
 */
export type DecideNew = (
  holder: AuditRecord | undefined,
  stored: StoredRecord | undefined,
) => AuditEntry | Promise<AuditEntry>

export type Decisions = ReturnType<typeof decisions>

/**
 * Stores decisions, each as one step that happens or does not. Not by the recorder, which repeats an entry until it
 * is stored: an answer says what is stored, or is 503 and nothing is written later.
 *
 * @param timeoutMs how long a decision may take, with those before it
 * @param alerts whether the deployment is to be told of changes
 */
export function decisions({ store, log: auditLog }: Ledger, timeoutMs: number, alerts = false) {
  const inTurn = takingTurns()

  async function write(
    told: AuditEntry,
    before: { readonly record: AuditRecord; readonly stored: KeptRecord } | undefined,
    slots: Batch['slots'],
    left: Left,
  ): Promise<AuditRecord | undefined> {
    const entry = alerts ? tellDeployment(told, changeOf(told)) : told
    const record = foldRecord(before?.record, entry)
    const sum = before && {
      kind: 'record' as const,
      version: before.stored.last,
      permit: before.stored,
    }
    try {
      if (!(await auditLog.decide({ entry, before: sum, slots }, left))) return undefined
    } catch (cause) {
      if (cause instanceof NothingDecided) throw permitsUnreadable(cause)
      log(`a decision on a permit may not be stored: ${reasonOf(cause)}`)
      throw new PermitError(
        'temporarily_unavailable',
        'the storage does not say whether the decision is stored: look again',
        { cause },
      )
    }
    console.log(lineOf(entry))
    return record
  }

  const read = <T>(left: Left, ask: () => Promise<T>): Promise<T> =>
    limitTime(left(), ask(), () => new Error('it does not answer')).catch((cause) => {
      throw permitsUnreadable(cause)
    })

  /** One after the other: in here, nothing of this process is decided meanwhile. */
  async function repeatedly<T>(attempt: (left: Left) => Promise<T | undefined>): Promise<T> {
    const deadline = performance.now() + timeoutMs
    const left = () => Math.max(0, deadline - performance.now())
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
      const done = await inTurn(
        (before) => read(left, () => before),
        () => attempt(left),
      )
      if (done !== undefined) return done
    }
    throw new PermitError('temporarily_unavailable', 'others decide at the same time: try again')
  }

  return {
    /** A new record. */
    open: (slot: string, decide: DecideNew) =>
      repeatedly(async (left) => {
        const holder = await read(left, () => store.slotHolder(slot))
        const entry = await decide(readable(holder), holder)
        return write(entry, undefined, [{ slot, version: holder?.last ?? 0 }], left)
      }),
    /** A decision on a record; `undefined` where there is none. */
    async decide(id: string, decide: Decide): Promise<AuditRecord | undefined> {
      const { record } = await repeatedly(async (left) => {
        const stored = await read(left, () => store.permit(id))
        if (!stored) return { record: undefined }
        const before = { record: parseRecord(stored), stored }
        const record = await write(decide(before.record), before, [], left)
        return record && { record }
      })
      return record
    },
  }
}

/** What every entry about a record has, so that a reader knows what it is about. */
export function factsOfRecord({
  id,
  customer,
  operator,
  application,
}: Pick<AuditRecord, 'application' | 'customer' | 'id' | 'operator'>): Partial<AuditEntry> {
  const mayAct = operator && { sub: operator.id, clientId: application }
  return { permit: id, userId: customer?.id, mayAct }
}

/** What cannot be read allows nothing, and nothing is decided. */
export function permitsUnreadable(cause: unknown): PermitError {
  return new PermitError('temporarily_unavailable', 'permits cannot be read: nothing was done', {
    cause,
  })
}
