import { limitTime } from 'oidc-provider-impersonation/siblings'
import { slotOf } from 'oidc-provider-impersonation-verify/chain'
import {
  type AnyPermit,
  type AuditEntry,
  changeOf,
  foldAny,
  parseAny,
  reasonOf,
  type StoredPermit,
  storedPermitOf,
} from 'oidc-provider-impersonation-verify/format'
import { lineOf, log } from '../../../kernel/log-line.ts'
import { takingTurns } from '../../../kernel/turns.ts'
import type { SignCheckpoint } from '../../../ledger/keeping/checkpoint.ts'
import { readable } from '../../../ledger/readable.ts'
import type { Ledger } from '../../../ledger/recording/ledger.ts'
import { NotBegun } from '../../../ledger/recording/writer.ts'
import { PermitError } from './errors.ts'

/** How often a decision is made again where another one came first. */
const MAX_ATTEMPTS = 5
/** The part of its time that a decision has left when it begins: with less, its outcome would not be known. */
const LEAST_LEFT = 0.25

/** What is left of the time of a decision, in milliseconds. */
type Left = () => number

/** Makes an entry from what is stored, or throws. It is called again where that has changed. */
export type Decide = (stored: AnyPermit | undefined) => AuditEntry

/**
 * The same for a new permit.
 *
 * @param holder the newest permit with the slot; `undefined` for one that cannot be read
 * @param stored the same, as it is stored
 */
export type DecideNew = (
  holder: AnyPermit | undefined,
  stored: StoredPermit | undefined,
) => AuditEntry | Promise<AuditEntry>

/** Stores decisions, each as one step that happens or does not. */
export interface Decisions {
  /** A new permit. */
  open(slot: string, decide: DecideNew): Promise<AnyPermit>
  /**
   * A decision on a permit that there is; `undefined` where there is none.
   *
   * @param known as it was read a moment ago: it is read again only where that has changed
   */
  decide(id: string, decide: Decide, known?: AnyPermit): Promise<AnyPermit | undefined>
}

export interface DecisionsOptions {
  readonly sign: SignCheckpoint
  /** How long a decision may take, with those before it, in milliseconds. */
  readonly timeoutMs: number
  /** Whether the deployment is to be told of changes. @defaultValue false */
  readonly alerts?: boolean | undefined
}

/**
 * Not by the recorder, which repeats an entry until it is stored: an answer says what is stored, or is
 * 503 and nothing is written later.
 */
export function decisions(
  { store, writer }: Ledger,
  { sign, timeoutMs, alerts = false }: DecisionsOptions,
): Decisions {
  const inTurn = takingTurns()
  const least = timeoutMs * LEAST_LEFT

  async function write(
    told: AuditEntry,
    before: AnyPermit | undefined,
    slotHolder: StoredPermit | undefined,
    left: Left,
  ): Promise<AnyPermit | undefined> {
    const isAlert = alerts && changeOf(told) !== undefined
    const entry: AuditEntry = isAlert ? { ...told, isAlert } : told
    const record = foldAny(before, entry)
    const permit = storedPermitOf(record, slotOf(record))
    const decision = { entry, permit, replaces: before?.version ?? 0, slotHolder }
    try {
      if (!(await writer.decide(decision, { sign, left, least }))) return undefined
    } catch (cause) {
      if (cause instanceof NotBegun) throw permitsUnreadable(cause)
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
    open: (slot, decide) =>
      repeatedly(async (left) => {
        const holder = await read(left, () => store.slotHolder(slot))
        const entry = await decide(readable(holder), holder)
        return write(entry, undefined, holder, left)
      }),
    async decide(id, decide, known) {
      let first = known
      const readPermit = async (left: Left) => {
        const stored = await read(left, () => store.permit(id))
        return stored && parseAny(stored)
      }
      const { record } = await repeatedly(async (left) => {
        const before = first ?? (await readPermit(left))
        first = undefined
        if (!before) return { record: undefined }
        const record = await write(decide(before), before, undefined, left)
        return record && { record }
      })
      return record
    },
  }
}

/** What cannot be read allows nothing, and nothing is decided. */
export function permitsUnreadable(cause: unknown): PermitError {
  return new PermitError('temporarily_unavailable', 'permits cannot be read: nothing was done', {
    cause,
  })
}
