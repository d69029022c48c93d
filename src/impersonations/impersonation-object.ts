import type { ImpersonationEvent } from '../public/events.ts'
import type { ImpersonationObject, ImpersonationState } from '../public/list-and-end.ts'
import { present } from '../shared/present.ts'
import { MAX_CLOCK_DIFFERENCE, MAX_CLOCK_TOLERANCE } from '../tokens/kept-until.ts'
import type { SubjectToken } from '../tokens/subject-token.ts'
import { shownEnd } from './end-record.ts'

/** Where an impersonation stands: derived from its record, never stored. */
export function stateOf(token: SubjectToken): ImpersonationState {
  if (token.end) return 'ended'
  if (!token.consumed) return token.isExpired ? 'expired' : 'issued'
  // `singleUse: 'per-process'` keeps no note: nothing tells then when the access token expires.
  const { expiresAt } = token.note ?? {}
  return expiresAt !== undefined && expiresAt <= Date.now() / 1000 ? 'expired' : 'active'
}

/**
 * Whether it has expired so long ago that no API accepts its access token, since a guard may forgive
 * that its clock is slow, and that no process redeems its subject token, whose clock may be slow as
 * well. Until then there is something to end (I14).
 */
export function isOver(token: SubjectToken): boolean {
  if (stateOf(token) !== 'expired') return false
  const overAt = token.consumed
    ? (token.note?.expiresAt ?? 0) + MAX_CLOCK_TOLERANCE
    : (token.exp ?? 0) + MAX_CLOCK_DIFFERENCE
  return overAt <= Date.now() / 1000
}

/** An impersonation as it is shown. */
export function describeImpersonation(token: SubjectToken): ImpersonationObject {
  return Object.freeze(
    present({
      id: token.jti,
      state: stateOf(token),
      userId: token.accountId,
      actor: token.note?.act,
      ...describeParties(token),
      issuedAt: token.iat,
      redeemableUntil: token.exp ?? token.iat,
      startedAt: typeof token.consumed === 'number' ? token.consumed : undefined,
      status: statusOf(token),
    }),
  )
}

/** What the event says of an impersonation that has ended. */
export function describeEnded(token: SubjectToken): Partial<ImpersonationEvent> {
  const bound = token.bindingObject.mayAct?.sub
  const actor = token.note?.act ?? (bound === undefined ? undefined : { sub: bound })
  return present({ id: token.jti, subject: token.accountId, actor, ...describeParties(token) })
}

/** What object and event say alike. */
function describeParties(token: SubjectToken) {
  const { note, bindingObject: binding } = token
  return {
    mayAct: binding.mayAct,
    issuedTo: token.clientId,
    client: note?.client,
    software: note?.software,
    resource: note?.resource ?? binding.resource,
    scope: note ? note.scope : binding.scope,
    context: token.contextObject,
    permit: note?.permit ?? token.permit,
    review: note?.review ?? token.review,
    expiresAt: note?.expiresAt,
    end: token.end && shownEnd(token.end),
  }
}

function statusOf({ note, tokenStatus }: SubjectToken) {
  return note && note.format !== 'jwt' ? undefined : tokenStatus?.status_list
}
