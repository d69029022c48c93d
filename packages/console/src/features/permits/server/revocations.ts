import type { EndOptions, Provider } from 'oidc-provider-impersonation'
import {
  BoundedMap,
  MAX_ACCESS_TOKEN_TTL,
  MAX_SUBJECT_TOKEN_TTL,
} from 'oidc-provider-impersonation/siblings'
import {
  type AuditPerson,
  isAnswer,
  isStop,
  type PermitRecord,
  present,
  type RecordState,
  type Said,
  type StoredRecord,
  saidIn,
} from 'oidc-provider-impersonation-verify/format'
import { every } from '../../../kernel/every.ts'
import { pages } from '../../../kernel/pages.ts'
import { PERMITS_PER_READ } from '../../../ledger/filters.ts'
import { readable } from '../../../ledger/readable.ts'
import type { AuditStore } from '../../../ledger/store.ts'
import { endForCustomer, endForObjection, waitForEnds } from './ends.ts'
import { approvalIn } from './permit.ts'

/** How long between two looks, in milliseconds. */
const INTERVAL_MS = 3000
/** How long one end may take, in milliseconds. */
const MAX_END_MS = 10_000
/** How long an issue or an exchange may be under way, in milliseconds. */
const UNDER_WAY_MS = 60_000
const MAX_REMEMBERED = 10_000
/** How long a subject token and then its access token may live, at most. */
const LONGEST_LIFE_MS = (MAX_SUBJECT_TOKEN_TTL + MAX_ACCESS_TOKEN_TTL) * 1000
/** Once everything older has ended. */
const RECENT_MS = 2 * UNDER_WAY_MS

/** A permit that was revoked. */
export type Revoked = Pick<PermitRecord, 'customer' | 'id'> & Partial<Pick<PermitRecord, 'said'>>

/** Ends everything issued or active under a permit. */
export async function endUnder(
  { impersonation }: Provider,
  { id, customer, said = [] }: Revoked,
): Promise<void> {
  await impersonation.endAll(
    { userId: customer.id, permit: id },
    endBy(customer, saidIn({ said }, 'revoked')),
  )
}

/** Who took it back ended it, and what they said of it is why. */
function endBy(customer: AuditPerson, { by, note }: Partial<Said> = {}): EndOptions {
  if (!by) return { cause: 'policy', reason: 'the permit was revoked' }
  const cause = by.id === customer.id ? 'user' : 'requested'
  return { cause, by: { sub: by.id }, ...present({ reason: note }) }
}

/**
 * Ends what runs under permits that were revoked, what customers said no to, and what they objected to,
 * whichever process stored it: a process may be killed between that and the end.
 *
 * @returns a function that stops it
 */
export function finishRevocations(
  store: AuditStore,
  provider: Provider,
  now: () => number,
): () => Promise<void> {
  const over = new AbortController()
  const finished = new BoundedMap<string, true>(MAX_REMEMBERED)
  /** How far back answers of customers are looked at, in milliseconds. */
  let lookBack = LONGEST_LIFE_MS

  async function run(): Promise<void> {
    let failure: { readonly error: unknown } | undefined
    const finishAll = async (state: RecordState, since: number) => {
      const filter = { state, notOverAt: now() } as const
      const read = (before: string | undefined) =>
        store.permits(filter, { before, limit: PERMITS_PER_READ })
      for await (const { permits } of pages(read)) {
        for (const stored of permits) {
          if (finished.get(stored.id)) continue
          // One that cannot be ended does not hold up the others.
          await finish(stored).catch((error: unknown) => {
            failure ??= { error }
          })
        }
        if (over.signal.aborted || (permits.at(-1)?.at ?? since) < since) break
      }
    }
    await finishAll('revoked', 0)
    // A no of a customer holds for good. What may live after it was issued before it.
    await finishAll('ask', now() - lookBack)
    await finishAll('stopped', now() - lookBack)
    lookBack = failure ? LONGEST_LIFE_MS : RECENT_MS
    if (failure) throw failure.error
  }

  async function finish(stored: StoredRecord): Promise<void> {
    const record = readable(stored)
    if (isStop(record)) {
      // A lead's pause ends nothing.
      if (!record.customer) return
      const about = { operator: record.operator.id, customer: record.customer.id }
      await endForObjection(provider, about, record.lastAt, MAX_END_MS)
    } else if (isAnswer(record)) {
      const at = { provider, store, now: now(), before: record.lastAt }
      await endForCustomer({ ...at, customer: record.customer.id }, MAX_END_MS)
    } else if (stored.state === 'revoked') {
      // One that cannot be read ends, too.
      const revoked = approvalIn(record) ?? {
        id: stored.id,
        customer: { id: stored.customer ?? '' },
      }
      await waitForEnds(MAX_END_MS, endUnder(provider, revoked))
    } else return
    // What was under way at the revocation comes a little later.
    if (record && now() > record.lastAt + UNDER_WAY_MS) finished.set(stored.id, true)
  }

  const running = every(() => INTERVAL_MS, run, {
    signal: over.signal,
    says: { failing: 'what revoked permits allowed cannot be ended yet' },
  })
  return async () => {
    over.abort()
    await running
  }
}
