import { MAX_CLOCK_DIFFERENCE } from '../tokens/kept-until.ts'
import type { Impersonations } from './impersonations.ts'
import type { PendingEnds } from './pending-ends.ts'

/**
 * How long after an exchange looked at the operator its redemption counts, in milliseconds, by the
 * monotonic clock. An exchange that is later issues nothing.
 */
export const REDEEMED_WITHIN_MS = 8_000

/**
 * The same impersonations, and an end of all that an operator or a client runs, or that a permit allowed,
 * has its second pass. What was issued after the end goes on.
 */
export function endingWhatIsUnderWay(all: Impersonations, pending: PendingEnds): Impersonations {
  return {
    ...all,
    async endAll(filter, how, ctx, only) {
      if ((filter.actor ?? filter.client ?? filter.permit) === undefined) {
        return all.endAll(filter, how, ctx, only)
      }
      const until = Math.floor(Date.now() / 1000) + MAX_CLOCK_DIFFERENCE
      // A storage that takes no record may take ends. The caller learns of it afterwards.
      const [kept] = await Promise.allSettled([pending.keep({ filter, how, until })])
      const ended = await all.endAll(filter, how, ctx, only)
      if (kept.status === 'rejected') throw kept.reason
      return ended
    },
  }
}
