import { MAX_CLOCK_DIFFERENCE } from '../tokens/kept-until.ts'
import type { Impersonations } from './impersonations.ts'
import { keepTrying } from './keep-trying.ts'

/**
 * How long after an exchange looked at the operator its redemption counts, in milliseconds, by the
 * monotonic clock. An exchange that is later issues nothing.
 */
export const REDEEMED_WITHIN_MS = 8_000

/** When every exchange that was under way at an end is over, in milliseconds. */
const SECOND_PASS_MS = 10_000

/** Does something once more when the exchanges that are under way now are over. */
export type SecondPass = (key: string, end: () => Promise<void>) => void

/**
 * The second pass of an end that finds impersonations by their operator or client: a record may have
 * neither before it is redeemed, so the first pass misses one whose exchange looked at the operator
 * before the end and redeems after it.
 *
 * @param what for the warning when it is given up
 * @param tokenLife how long an access token can live, in seconds
 */
export function secondPass(what: string, tokenLife: number): SecondPass {
  const endAgain = keepTrying(what, tokenLife)
  return (key, end) => {
    setTimeout(() => endAgain(key, end), SECOND_PASS_MS).unref()
  }
}

/**
 * The same impersonations, and an end of all that an operator or a client runs has its second pass. What was
 * issued after the first one goes on.
 */
export function endingWhatIsUnderWay(all: Impersonations, tokenLife: number): Impersonations {
  const endAgain = secondPass('ending what exchanges under way began', tokenLife)
  return {
    ...all,
    async endAll(filter, how, ctx, only = () => true) {
      const ended = await all.endAll(filter, how, ctx, only)
      if ((filter.actor ?? filter.client ?? filter.permit) !== undefined) {
        const until = Math.floor(Date.now() / 1000) + MAX_CLOCK_DIFFERENCE
        endAgain(JSON.stringify([filter, how, until]), async () => {
          await all.endAll(filter, how, undefined, (token) => token.iat <= until && only(token))
        })
      }
      return ended
    },
  }
}
