import type { Adapter } from 'oidc-provider'
import { isDevelopmentAdapter } from '../oidc-provider-internals.ts'
import { hasConsumeOnce } from './contract.ts'

/**
 * Claims the record `id`, which expires at `expiresAt` (seconds since the epoch). Resolves `true`
 * for exactly one caller, ever.
 *
 * @throws when it is not certain who won.
 */
export type Claim = (id: string, expiresAt: number) => Promise<boolean>

/**
 * Picks how records of this adapter are claimed: by its own `consumeOnce`, or by a guard in this
 * process where one process is all there is.
 *
 * @throws TypeError for an adapter that cannot keep the promise.
 */
export function claimWith(adapter: Adapter, singleUse: 'adapter' | 'per-process'): Claim {
  if (hasConsumeOnce(adapter)) {
    return async (id) => {
      const won: unknown = await adapter.consumeOnce(id)
      if (typeof won !== 'boolean') {
        throw new TypeError('consumeOnce() of the storage adapter must resolve true or false')
      }
      return won
    }
  }
  if (singleUse === 'per-process' || isDevelopmentAdapter(adapter)) return guardInProcess(adapter)
  throw new TypeError(
    'The storage adapter has no consumeOnce(id), so two parallel requests could both redeem one subject token. ' +
      "Add the method (a few lines, see docs/adapters.md of oidc-provider-impersonation), use one of this package's adapters, " +
      "or, where one process is all there is, set features.impersonation.subjectToken.singleUse to 'per-process'.",
  )
}

/** How often, in claims, entries of expired records are swept from the guard. */
const SWEEP_EVERY = 1024

/** Shared by all providers of this process: ids are hashes of random values, and never meet. */
const claimed = new Map<string, number>()
let untilSweep = SWEEP_EVERY

function guardInProcess(adapter: Adapter): Claim {
  return async (id, expiresAt) => {
    // Look and mark without an await between them: nothing else runs in this process meanwhile.
    if (claimed.has(id)) return false
    claimed.set(id, expiresAt)
    untilSweep -= 1
    if (untilSweep === 0) {
      untilSweep = SWEEP_EVERY
      const now = Date.now() / 1000
      for (const [other, expiry] of claimed) if (expiry < now) claimed.delete(other)
    }
    // From here on a failure leaves the mark: the token is lost rather than redeemed twice.
    const stored = await adapter.find(id)
    if (!stored || stored.consumed) return false
    await adapter.consume(id)
    return true
  }
}
