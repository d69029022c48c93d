import type { Provider } from 'oidc-provider-impersonation'
import {
  BoundedMap,
  limitTime,
  MAX_ACCESS_TOKEN_TTL,
  MAX_SUBJECT_TOKEN_TTL,
} from 'oidc-provider-impersonation/siblings'
import type { StoredRecord } from 'oidc-provider-impersonation-verify/format'
import { every } from '../kernel/every.ts'
import { pagesOfRecords, readable } from '../ledger/readable.ts'
import type { AuditStore } from '../ledger/store.ts'
import { type Ends, endUnder } from './ends.ts'

/** The pause between two looks, in milliseconds. */
const INTERVAL_MS = 3000
/** The time that one end may take, in milliseconds. */
const MAX_END_MS = 10_000
/** The time that an issue or an exchange may be under way, in milliseconds. */
const UNDER_WAY_MS = 60_000
const MAX_REMEMBERED = 10_000
/** The longest life of a subject token and then of its access token. */
const LONGEST_LIFE_MS = (MAX_SUBJECT_TOKEN_TTL + MAX_ACCESS_TOKEN_TTL) * 1000
/** So much is looked at twice: the clocks of processes differ, and a start may be under way. */
const RECENT_MS = 10 * UNDER_WAY_MS

/**
 * Carries out what records end, whichever process stored them: a process may be killed between the word and the
 * end.
 *
 * @returns a function that stops it
 */
export function finishEnds(
  store: AuditStore,
  provider: Provider,
  { carryOut }: Pick<Ends, 'carryOut'>,
  now: () => number,
): () => Promise<void> {
  const finished = new BoundedMap<string, true>(MAX_REMEMBERED)
  /** The time of the last look that reached everything, in milliseconds since the epoch. */
  let lookedAt = 0

  async function run(signal: AbortSignal) {
    let failure: { readonly error: unknown } | undefined
    const begun = now()
    // Answers and stops hold for good. A start that may live after one was issued before.
    const from = begun - Math.min(LONGEST_LIFE_MS, RECENT_MS + Math.abs(begun - lookedAt))
    for (const filter of [
      { state: 'revoked' },
      { state: 'ask', from },
      { state: 'stopped', from },
    ] as const) {
      for await (const { permits } of pagesOfRecords(store, { ...filter, notOverAt: begun })) {
        for (const stored of permits) {
          if (finished.get(stored.id)) continue
          // One that cannot be ended does not hold up the others.
          await finish(stored).catch((error: unknown) => {
            failure ??= { error }
          })
        }
        if (signal.aborted) return
      }
    }
    if (failure) throw failure.error
    lookedAt = begun
  }

  async function finish(stored: StoredRecord) {
    const record = readable(stored)
    const { id, customer, state } = stored
    if (record) await limitTime(MAX_END_MS, carryOut(record, record.lastAt))
    // One that cannot be read ends, too.
    else if (state === 'revoked' && customer !== undefined) {
      await limitTime(MAX_END_MS, endUnder(provider, { id, customer: { id: customer } }))
    }
    // A start that was under way at the word comes a little later.
    if (record && now() > record.lastAt + UNDER_WAY_MS) finished.set(id, true)
  }

  return every(() => INTERVAL_MS, run, {
    says: { failing: 'what was revoked or stopped cannot be ended yet' },
  })
}
