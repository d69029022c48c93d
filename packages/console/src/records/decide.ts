import { limitTime } from 'oidc-provider-impersonation/siblings'
import { slotOf } from 'oidc-provider-impersonation-verify/chain'
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
import { noSuchRecord, PermitError, permitsUnreadable } from './errors.ts'

/** The number of times that a decision is made again because another one came first. */
const MAX_ATTEMPTS = 5

/** The rest of the time of a decision, in milliseconds. */
type Left = () => number

/**
 * Checks the newest record of a slot, before another one begins. It is called again if that has changed.
 *
 * @param holder `undefined` for one that cannot be read
 * @param timeMs the time of the entry
 * @param stored the holder, as it is stored
 * @returns `true` to keep the holder
 * @throws Error to begin none
 */
export type Check = (
  holder: AuditRecord | undefined,
  timeMs: number,
  stored: StoredRecord | undefined,
) => true | undefined | Promise<true | undefined>

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
    try {
      if (!(await auditLog.decide(entry, before?.stored, slots, left))) return undefined
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
    limitTime(left(), ask()).catch((cause) => {
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
    /**
     * Begins a record, unless the newest one of its slot is kept.
     *
     * @param now the clock, which is read again when it is the turn of this one
     */
    begin(entry: AuditEntry, check: Check, now = () => entry.timeMs) {
      const slot = slotOf(foldRecord(undefined, entry))
      return repeatedly(async (left) => {
        const stored = await read(left, () => store.slotHolder(slot))
        const holder = readable(stored)
        // After the last entry of the one before, also if the clock was set back.
        const timeMs = Math.max(now(), (holder?.lastAt ?? 0) + 1)
        if (await check(holder, timeMs, stored)) return holder
        const slots = [{ slot, version: stored?.last ?? 0 }]
        return write({ ...entry, timeMs }, undefined, slots, left)
      })
    },
    /**
     * Adds to a record.
     *
     * @param decide makes the entry, or throws. It is called again if the record has changed
     * @throws PermitError for a record that there is not
     */
    decide: (id: string, decide: (record: AuditRecord) => AuditEntry | Promise<AuditEntry>) =>
      repeatedly(async (left) => {
        const stored = await read(left, () => store.permit(id))
        if (!stored) throw noSuchRecord()
        const record = parseRecord(stored)
        return write(await decide(record), { record, stored }, [], left)
      }),
  }
}
