import { setTimeout as wait } from 'node:timers/promises'
import type { Provider } from 'oidc-provider-impersonation'
import { BoundedMap, limitTime } from 'oidc-provider-impersonation/siblings'
import {
  type AnyPermit,
  type PermitRecord,
  parseAny,
  reasonOf,
  type StandingRecord,
  type StoredPermit,
} from 'oidc-provider-impersonation-verify/format'
import { log } from '../audit/log-line.ts'
import type { PermitStore } from '../audit/permit-store.ts'

/** How long between two looks, in milliseconds. */
const INTERVAL_MS = 3000
const PERMITS_PER_READ = 100
/** How long one end may take, in milliseconds. */
const MAX_END_MS = 10_000
/** How long an issue or an exchange may be under way, in milliseconds. */
const UNDER_WAY_MS = 60_000
const MAX_REMEMBERED = 10_000

/** A permit that was revoked. */
export type Revoked =
  | Pick<PermitRecord, 'customer' | 'id' | 'kind' | 'revoked'>
  | Pick<StandingRecord, 'customer' | 'id' | 'kind' | 'revoked'>

/** Ends everything issued or active under a permit. */
export async function endUnder(
  { impersonation }: Provider,
  { id, kind, customer, revoked }: Revoked,
): Promise<void> {
  const by = revoked && { sub: revoked.by.id }
  const how = { cause: 'policy', reason: 'the permit was revoked', ...(by ? { by } : {}) } as const
  await impersonation.endAll({ userId: customer.id, permit: id }, how)
  if (kind !== 'standing') return
  // Where another permit met the other needs of a request, the impersonation has the id of that one.
  const until = (revoked?.at ?? 0) / 1000
  for (const state of ['issued', 'active'] as const) {
    for (let cursor: string | undefined; ; ) {
      const query = { userId: customer.id, state, limit: 100, cursor }
      const { items, next } = await impersonation.list(query)
      for (const { id, permit, review, issuedAt } of items) {
        const isEmergency = review !== undefined
        if (permit === undefined || isEmergency || issuedAt > until) continue
        await impersonation.end(id, how)
      }
      if (next === undefined) break
      cursor = next
    }
  }
}

/**
 * Ends what runs under permits that were revoked, whichever process revoked them: a process may be killed
 * between the revocation and the end.
 *
 * @returns a function that stops it
 */
export function finishRevocations(
  store: PermitStore,
  provider: Provider,
  now: () => number,
): () => Promise<void> {
  const over = new AbortController()
  const finished = new BoundedMap<string, true>(MAX_REMEMBERED)
  let trouble: string | undefined

  async function run(): Promise<void> {
    let failure: { readonly error: unknown } | undefined
    for (let before: string | undefined; !over.signal.aborted; ) {
      const filter = { state: 'revoked', notOverAt: now() } as const
      const { permits, next } = await store.permits(filter, { before, limit: PERMITS_PER_READ })
      for (const stored of permits) {
        if (finished.get(stored.id)) continue
        // One that cannot be ended does not hold up the others.
        await finish(stored).catch((error: unknown) => {
          failure ??= { error }
        })
      }
      if (next === undefined) break
      before = next
    }
    if (failure) throw failure.error
  }

  async function finish(stored: StoredPermit): Promise<void> {
    const record: AnyPermit = parseAny(stored)
    await limitTime(MAX_END_MS, endUnder(provider, record), () => new Error('it takes too long'))
    // What was under way at the revocation comes a little later.
    if (now() > record.lastAt + UNDER_WAY_MS) finished.set(stored.id, true)
  }

  async function runByItself(): Promise<void> {
    while (!over.signal.aborted) {
      try {
        await run()
        trouble = undefined
      } catch (error) {
        const reason = reasonOf(error)
        if (trouble !== reason) log(`what revoked permits allowed cannot be ended yet: ${reason}`)
        trouble = reason
      }
      await wait(INTERVAL_MS, undefined, { signal: over.signal, ref: false }).catch(() => {})
    }
  }

  const running = runByItself()
  return async () => {
    over.abort()
    await running
  }
}
