import type { Provider } from 'oidc-provider'
import { instance } from '../host/weak-cache.ts'
import { endImpersonation } from '../impersonations/end.ts'
import { findMark } from '../impersonations/marks.ts'
import type { EndOptions } from '../public/objects.ts'
import { type FoundActor, isGranted } from './actor.ts'
import { type Found, notRedeemable } from './subject.ts'

/**
 * Checks, after the redemption, for an end that came before it could find the redeemed record: a
 * mark, or a grant that is gone (an end ends, I11). It checks with `ending.enabled: false`, too,
 * because another process on the same store may end impersonations.
 *
 * @throws errors.InvalidRequest if there is one. The subject token stays redeemed, and its record
 * has ended.
 * @throws the storage's error
 */
export async function requireNotEnded(
  provider: Provider,
  { token, operator }: Pick<Found, 'operator' | 'token'>,
): Promise<void> {
  const { ending, subjectTokens } = instance(provider)
  if (subjectTokens.endable) {
    const owner = operator?.mayOutliveSignOut ? operator.actor.sub : undefined
    const [mark, signedOut] = await Promise.all([
      findMark(subjectTokens.endable, token, owner),
      findSignOut(provider, operator),
    ])
    const end = mark?.how ?? signedOut
    if (end) {
      if (ending) await endImpersonation(provider, token.jti, end)
      throw notRedeemable('ended while it was redeemed')
    }
  }
  // An end that came after the last moment of redemption found an expired impersonation, and ended
  // nothing.
  if (token.isExpired) throw notRedeemable('expired while it was redeemed')
}

/** Finds the end of an operator whose grant is gone. */
async function findSignOut(
  provider: Provider,
  operator: FoundActor | undefined,
): Promise<EndOptions | undefined> {
  if (operator?.grant === undefined) return undefined
  const { grant, actorClient: clientId, actor } = operator
  if (await isGranted(provider, { grant, clientId, accountId: actor.sub })) return undefined
  return { by: { sub: actor.sub }, cause: 'operator_signed_out' }
}
