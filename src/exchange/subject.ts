import { type Account, errors, type Provider, type TokenEndpointGrantContext } from 'oidc-provider'
import { trailOf } from '../events/trail.ts'
import { findAccount } from '../host/grants.ts'
import { instance } from '../host/weak-cache.ts'
import { mayClient } from '../policy/clients.ts'
import type { Binding } from '../public/hooks.ts'
import type { Redemption, SubjectToken } from '../tokens/subject-token.ts'
import { type FoundActor, findActor, findSoftware } from './actor.ts'
import type { ExchangeRequest } from './request.ts'

/** The redeeming party, and the subject token that allows it. */
export type Found = Awaited<ReturnType<typeof find>>

/**
 * RFC 8693 §2.2.2: "If the request itself is not valid or if either the subject_token or
 * actor_token are invalid for any reason, or are unacceptable based on policy, the authorization
 * server MUST construct an error response [...] The value of the error parameter MUST be the
 * invalid_request error code." The message is the same for every reason, so that no client learns
 * the reason (I6).
 */
export function notRedeemable(reason: string): errors.InvalidRequest {
  return new errors.InvalidRequest('subject token is invalid', undefined, {
    cause: new Error(reason),
  })
}

/**
 * Finds the actor, and the subject of the presented subject token, if all of its data are still
 * valid (still true at exchange, I7).
 *
 * The binding of the token is checked before everything that takes a look-up or has an error of
 * its own. For a holder that the token is not bound to, the response and its timing are the same
 * for a live, a used and an unknown token.
 */
export async function find(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  request: ExchangeRequest,
) {
  const trail = trailOf(ctx)
  const software = await findSoftware(provider, request.client)
  trail.add({ software })
  // The actor token first, so that its error is the same in every state of the subject token (I6).
  const operator = await findActor(provider, ctx, request).catch(async (refused) => {
    // For the audit alone. A storage failure is no refusal (I5).
    if (refused instanceof errors.InvalidRequest) {
      await findUnused(provider, ctx, request).catch((error) => {
        if (!(error instanceof errors.InvalidRequest)) throw error
      })
    }
    throw refused
  })
  trail.add({ actor: operator?.actor })
  const token = await findUnused(provider, ctx, request)
  requireMayAct(token.bindingObject, request, operator)
  ctx.oidc.entity('SubjectToken', token)
  const account = await requireStillTrue(provider, ctx, token)
  ctx.oidc.entity('Account', account)
  return { ...request, operator, software, token, account }
}

/**
 * Finds a subject token that was not redeemed, and adds the facts of any that is found to the
 * trail.
 */
async function findUnused(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  { subjectToken: presented }: ExchangeRequest,
): Promise<SubjectToken> {
  const trail = trailOf(ctx)
  const { subjectTokens } = instance(provider)
  const id = subjectTokens.idOf(presented)
  trail.add({ id })
  const token = await subjectTokens.findById(id)
  if (!token) throw notRedeemable('unknown or expired')
  const { accountId: userId, clientId: requestedBy, permit, review } = token
  trail.add({ userId, requestedBy, permit, review })
  // Read the record here: if it is unreadable, the request fails before the token is redeemed.
  trail.add({ mayAct: token.bindingObject.mayAct, context: token.contextObject })
  if (token.consumed) throw redeemedBefore(ctx, token)
  if (token.end) throw notRedeemable('ended before it was redeemed')
  if (token.isExpired) throw notRedeemable('expired')
  // Its access token could outlive the record that ends it (what can act can be ended, I14).
  if (token.longestLife <= 0) throw notRedeemable('issued where impersonations could not be ended')
  return token
}

/**
 * Checks that the client that requested the subject token may still issue, and that the user still
 * exists (still true at exchange, I7).
 *
 * @returns the user's account
 */
export async function requireStillTrue(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  token: SubjectToken,
): Promise<Account> {
  const issuer = await instance(provider).verifier.findClient(token.clientId)
  if (!issuer) throw notRedeemable('the client it was issued to is gone')
  if (!(await mayClient(provider, 'issue', issuer))) {
    throw notRedeemable('the client it was issued to may not issue any more')
  }
  const account = await findAccount(provider, ctx, token.accountId)
  // An account with another id is another account, whatever the reason why `findAccount` returned
  // it.
  if (account?.accountId !== token.accountId) throw notRedeemable('its account is gone')
  return account
}

/**
 * Redeems the subject token. At most one caller gets past here, ever (one redemption, I1).
 *
 * @throws errors.InvalidRequest if another redemption or an end came first, or the record is gone
 */
export async function redeemSubjectToken(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  token: SubjectToken,
  redemption: Redemption,
): Promise<void> {
  if (await token.redeem(redemption)) return
  const found = await instance(provider).subjectTokens.findById(token.jti)
  if (found?.consumed) throw redeemedBefore(ctx, found)
  throw notRedeemable(found?.end ? 'ended meanwhile' : 'expired or revoked meanwhile')
}

function redeemedBefore(
  ctx: TokenEndpointGrantContext,
  token: SubjectToken,
): errors.InvalidRequest {
  const at = typeof token.consumed === 'number' ? token.consumed : undefined
  const trail = trailOf(ctx)
  trail.add({ redemption: { at, jti: token.accessTokenId } })
  trail.replayed = token
  return notRedeemable('redeemed before')
}

/**
 * Checks RFC 8693 §4.4 for one token: only this operator, through this client. A request without
 * an actor token is checked against both as well.
 */
function requireMayAct(
  { mayAct }: Binding,
  { clientId }: ExchangeRequest,
  operator: FoundActor | undefined,
): void {
  if (mayAct?.clientId !== undefined && mayAct.clientId !== clientId) {
    throw notRedeemable('bound to another client')
  }
  if (mayAct?.sub === undefined) return
  if (!operator) throw notRedeemable('bound to an operator, and none acts')
  if (operator.actor.sub !== mayAct.sub) throw notRedeemable('bound to another operator')
}
