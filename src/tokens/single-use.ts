import type { Adapter } from 'oidc-provider'
import { hasConsumeOnce, type SingleUseAdapter } from '../adapters/contract.ts'
import { isDevelopmentAdapter } from '../host/instance.ts'
import { BoundedMap } from '../shared/bounded-map.ts'
import { sha256 } from '../shared/text.ts'

/** Consumes a record. Resolves `true` for exactly one caller, ever. */
export type ConsumeOnce = SingleUseAdapter['consumeOnce']

/**
 * Selects how records of this adapter are consumed once: by its own `consumeOnce`, or by a guard
 * in this process for an adapter that works for one process only.
 *
 * @throws TypeError for an adapter that cannot keep the promise.
 */
export function createConsumer(
  adapter: Adapter,
  singleUse: 'adapter' | 'per-process',
): ConsumeOnce {
  if (hasConsumeOnce(adapter)) {
    return async (...record) => {
      const won: unknown = await adapter.consumeOnce(...record)
      if (typeof won !== 'boolean') {
        throw new TypeError('consumeOnce() of the storage adapter must resolve true or false')
      }
      return won
    }
  }
  if (singleUse === 'per-process' || isDevelopmentAdapter(adapter)) return guardInProcess(adapter)
  throw new TypeError(
    'The storage adapter has no consumeOnce(id), so two parallel requests could both redeem one subject token. ' +
      'Leave it as it is and keep subject tokens beside it, `adapter: withSubjectTokens(yours, createRedisAdapter({ client }))`, ' +
      'or add the method (node_modules/oidc-provider-impersonation/docs/adapters.md shows both), ' +
      "or, where one process is all there is, set features.impersonation.subjectToken.singleUse to 'per-process'.",
  )
}

/**
 * Far more than can be under way at once. The record itself holds the mark of an older
 * consumption.
 */
const MAX_REMEMBERED = 100_000

/** Shared by all providers of this process: ids are hashes of random values and do not collide. */
const consumed = new BoundedMap<string, true>(MAX_REMEMBERED)

function guardInProcess(adapter: Adapter): ConsumeOnce {
  return async (id) => {
    // Check and mark without an await between them, so that no other call runs in between.
    if (consumed.has(id)) return false
    consumed.set(id, true)
    // A failure after this line leaves the mark. The token is then unusable, and never redeemed
    // twice.
    const stored = await adapter.find(id)
    if (!stored || stored.consumed) return false
    await adapter.consume(id)
    return true
  }
}

/** The time for which a key counts as used, in seconds: a day. */
const USED_SECONDS = 86_400

/**
 * Runs work once for a key, in all processes that share the storage. If the work fails, the key is
 * free again.
 *
 * @returns a function that resolves `false` if the work ran before, or runs now
 */
export function onceRunner(adapter: Adapter, consumeOnce: ConsumeOnce) {
  return async (key: string, work: () => Promise<unknown>) => {
    // No subject token has a colon in its id, and a record without an account is in no list.
    const id = `once:${sha256(key)}`
    await adapter.upsert(id, {}, USED_SECONDS)
    if (!(await consumeOnce(id))) return false
    try {
      await work()
      return true
    } catch (error) {
      // The key stays used if the storage fails here.
      await adapter.destroy(id).catch(() => {})
      consumed.delete(id)
      throw error
    }
  }
}
