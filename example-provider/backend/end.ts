import type { Audit } from '../audit/audit.ts'
import { findNewest, SKEW } from '../audit/search.ts'
import { Problem } from '../http/problem.ts'
import { endsWithin } from '../http/within.ts'
import { DURATION } from './request.ts'

/** A token that was granted longer ago has expired, even with wrong clocks. In milliseconds. */
const LONGEST_LIFE = DURATION.most * 1000 + SKEW

/** How long the answer waits for entries to be stored, in milliseconds. */
const SETTLE_TIMEOUT_MS = 2000

/**
 * Records that an operator ended an access token. The token itself stays valid until it expires, so
 * its holder must forget it.
 *
 * An end after the expiry is not recorded. A repeated end is recorded once, as far as this process
 * and the stored entries show. Two processes that receive it at the same moment both record it.
 */
export function impersonationEnd({ store, settled, record }: Audit, now = Date.now) {
  const inTurn = new Map<string, Promise<void>>()

  async function end(operatorId: string, jti: string): Promise<void> {
    // An entry of a moment ago may not be stored yet.
    if (!(await endsWithin(SETTLE_TIMEOUT_MS, settled()))) {
      throw new Problem(
        503,
        'temporarily_unavailable',
        'the audit cannot be read: try again later',
        {
          retryAfter: '5',
        },
      )
    }
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
    // The token has already expired. A later end says nothing about how long the operator acted.
    if (expiresAt !== undefined && time >= expiresAt * 1000) return
    // The recorder keeps the entry, even if storing takes longer than this.
    await endsWithin(
      SETTLE_TIMEOUT_MS,
      record({ event: 'support.ended', time, id, subject, actor, context, jti, grantedAt }),
    )
  }

  /** @throws Problem 404 when this operator never had the token, or had it too long ago. */
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
