import type { Audit } from '../audit/audit.ts'
import { findNewest, SKEW } from '../audit/search.ts'
import { Problem } from '../http/problem.ts'
import { DURATION } from './request.ts'

/** What was granted longer ago has expired, by whatever clock, in milliseconds. */
const LONGEST_LIFE = DURATION.most * 1000 + SKEW

/**
 * Records that an operator is done with an access token. The token itself lives on until it expires:
 * whoever holds it has to forget it.
 *
 * Said once the token has expired, it is not recorded. Said again, it is recorded once, as far as
 * this process and what is stored by then can tell: two processes that hear it in the same moment
 * both record it.
 */
export function impersonationEnd({ store, settled, record }: Audit, now = Date.now) {
  const inTurn = new Map<string, Promise<void>>()

  async function end(operatorId: string, jti: string): Promise<void> {
    // What was granted a moment ago is perhaps not stored yet.
    await settled()
    const newest = await findNewest(
      store,
      ({ event, actor, jti: its }) =>
        its === jti &&
        actor?.sub === operatorId &&
        (event === 'impersonation.granted' || event === 'support.ended'),
      now() - LONGEST_LIFE,
    )
    if (!newest) throw new Problem(404, 'not_found', 'you did not begin such an impersonation')
    if (newest.event === 'support.ended') return
    const { id, subject, actor, context, time: grantedAt, expiresAt } = newest
    const time = now()
    // It has ended by itself. When somebody noticed is not how long they acted.
    if (expiresAt !== undefined && time >= expiresAt * 1000) return
    await record({ event: 'support.ended', time, id, subject, actor, context, jti, grantedAt })
  }

  /** @throws Problem 404 when this operator never had it, or too long ago. */
  return (operatorId: string, jti: string): Promise<void> => {
    const before = inTurn.get(jti) ?? Promise.resolve()
    const mine = before.then(() => end(operatorId, jti))
    const done = mine
      .catch(() => {})
      .then(() => {
        if (inTurn.get(jti) === done) inTurn.delete(jti)
      })
    inTurn.set(jti, done)
    return mine
  }
}
