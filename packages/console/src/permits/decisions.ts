import { endsWithin } from 'oidc-provider-impersonation/siblings'
import { slotOf } from 'oidc-provider-impersonation-verify/chain'
import {
  type AnyPermit,
  type AuditEntry,
  foldAny,
  parseAny,
  reasonOf,
  type StoredPermit,
  storedPermitOf,
} from 'oidc-provider-impersonation-verify/format'
import type { SignCheckpoint } from '../audit/keeping/checkpoint.ts'
import { lineOf, log } from '../audit/log-line.ts'
import type { PermitStore } from '../audit/permit-store.ts'
import { readable } from '../audit/readable.ts'
import { type Batches, batches } from '../audit/recording/batches.ts'
import { beginningOfChain } from '../audit/recording/beginning.ts'
import { PermitError } from './errors.ts'

/** How often a decision is made again where another one came first. */
const MAX_ATTEMPTS = 5

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
  /** A decision on a permit that there is; `undefined` where there is none. */
  decide(id: string, decide: Decide): Promise<AnyPermit | undefined>
}

export interface DecisionsOptions {
  readonly sign: SignCheckpoint
  /** How long the storage may take, in milliseconds. */
  readonly timeoutMs: number
}

/**
 * Not by the recorder, which repeats an entry until it is stored: an answer says what is stored, or is
 * 503 and nothing is written later. So decisions have a chain of their own. Where the answer of the
 * storage is lost, the chain may have one entry more than is known here: it is not continued, and the next
 * decision begins another one.
 */
export function decisions(store: PermitStore, { sign, timeoutMs }: DecisionsOptions): Decisions {
  let chain: Promise<Batches> | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function beginChain(): Promise<Batches> {
    const begun = batches()
    begun.begin(await beginningOfChain(sign, begun.writer))
    return begun
  }

  async function write(
    entry: AuditEntry,
    before: AnyPermit | undefined,
    slotHolder: StoredPermit | undefined,
  ): Promise<AnyPermit | undefined> {
    chain ??= beginChain()
    const { next, undo } = await chain
    const record = foldAny(before, entry)
    const permit = storedPermitOf(record, slotOf(record))
    const replaces = before?.version ?? 0
    const stored = store.decide({ batch: next([entry]), permit, replaces, slotHolder })
    try {
      if (!(await endsWithin(timeoutMs, stored))) throw new Error('it does not answer')
      if (await stored) {
        console.log(lineOf(entry))
        return record
      }
      undo()
      return undefined
    } catch (cause) {
      chain = undefined
      stored.catch(() => {})
      log(`a decision on a permit may not be stored: ${reasonOf(cause)}`)
      throw new PermitError(
        'temporarily_unavailable',
        'the storage does not say whether the decision is stored: look again',
        { cause },
      )
    }
  }

  /** One after the other: a chain has one end. */
  function oneAfterAnother<T>(work: () => Promise<T>): Promise<T> {
    const result = last.then(work)
    last = result.catch(() => {})
    return result
  }

  async function read<T>(ask: () => Promise<T>): Promise<T> {
    try {
      const answer = ask()
      if (!(await endsWithin(timeoutMs, answer))) throw new Error('it does not answer')
      return await answer
    } catch (cause) {
      throw unreadable(cause)
    }
  }

  async function repeatedly<T>(attempt: () => Promise<T | undefined>): Promise<T> {
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
      const done = await oneAfterAnother(attempt)
      if (done !== undefined) return done
    }
    throw new PermitError('temporarily_unavailable', 'others decide at the same time: try again')
  }

  return {
    open: (slot, decide) =>
      repeatedly(async () => {
        const holder = await read(() => store.slotHolder(slot))
        const entry = await decide(readable(holder), holder)
        return write(entry, undefined, holder)
      }),
    async decide(id, decide) {
      const { record } = await repeatedly(async () => {
        const stored = await read(() => store.permit(id))
        if (!stored) return { record: undefined }
        const before = parseAny(stored)
        const record = await write(decide(before), before, undefined)
        return record && { record }
      })
      return record
    },
  }
}

/** What cannot be read allows nothing, and nothing is decided. */
export function unreadable(cause: unknown): PermitError {
  return new PermitError('temporarily_unavailable', 'permits cannot be read: nothing was done', {
    cause,
  })
}
