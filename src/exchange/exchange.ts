import { errors, type Provider, type TokenEndpointGrantContext } from 'oidc-provider'
import { trailOf } from '../events/trail.ts'
import { buildTokenResponse, checkDpopReplay } from '../host/grants.ts'
import { instance } from '../host/weak-cache.ts'
import { audited } from '../impersonations/audited.ts'
import { endImpersonation, endLater } from '../impersonations/end.ts'
import { findMark } from '../impersonations/marks.ts'
import type { EndOptions } from '../public/objects.ts'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT_TYPE } from '../shared/constants.ts'
import { type FoundActor, findActor, isGranted } from './actor.ts'
import { EXCHANGE_PARAMETERS, parseExchangeRequest, REPEATABLE_PARAMETERS } from './request.ts'
import { type Found, find, notRedeemable, redeemSubjectToken, requireStillTrue } from './subject.ts'
import { prepare } from './token.ts'

/** Adds the grant to the provider. */
export function registerExchange(provider: Provider): void {
  provider.registerGrantType(
    TOKEN_EXCHANGE_GRANT_TYPE,
    (ctx) => exchange(provider, ctx),
    EXCHANGE_PARAMETERS,
    REPEATABLE_PARAMETERS,
  )
}

/**
 * The grant handler: an exchange in six steps, with one event for each request. Everything is
 * checked, and the access token is prepared, before the subject token is redeemed (check, redeem,
 * issue: I2).
 */
async function exchange(provider: Provider, ctx: TokenEndpointGrantContext): Promise<void> {
  try {
    ctx.body = await audited(ctx, 'exchange', async () => {
      trailOf(ctx).add({ client: ctx.oidc.client.clientId })
      const request = await parseExchangeRequest(provider, ctx)
      const found = await find(provider, ctx, request)
      const prepared = await prepare(provider, ctx, found)
      return redeem(provider, ctx, found, prepared)
    })
  } catch (thrown) {
    const error = thrown instanceof errors.OIDCProviderError ? thrown : trouble(thrown)
    if ('retryAfter' in error) ctx.set('Retry-After', String(error.retryAfter))
    throw error
  }
}

/** @returns the body of the response */
async function redeem(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  found: Found,
  { redemption, ...prepared }: Awaited<ReturnType<typeof prepare>>,
): Promise<object> {
  const { token, dPoP, clientId } = found
  const { scope, permit, review, expiresAt } = redemption
  const { expiresIn, jti, tokenType } = prepared
  if (instance(provider).options.authorize || instance(provider).claims.hasHooks) {
    await requireUnchanged(provider, ctx, found)
  }
  await checkDpopReplay(provider, ctx, dPoP, clientId)
  await redeemSubjectToken(provider, ctx, token, redemption)
  try {
    await requireNotEnded(provider, found)
    const accessToken = await prepared.save()
    trailOf(ctx).add({ scope, expiresAt, jti, permit, review })
    return buildTokenResponse(provider, {
      accessToken,
      expiresIn,
      issuedTokenType: ACCESS_TOKEN_TYPE,
      scope,
      tokenType,
    })
  } catch (error) {
    endLater(provider, token.jti, 'nothingIssued')
    throw error
  }
}

/**
 * Checks again after the deployment's code, which may have waited, for example for the decision of
 * a person. User, operator, issuing client or the client that exchanges may be gone by now (still
 * true at exchange, I7).
 *
 * @throws errors.InvalidRequest, errors.UnauthorizedClient
 */
async function requireUnchanged(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  found: Found,
): Promise<void> {
  const client = await instance(provider).verifier.findClient(found.clientId)
  if (!client?.grantTypeAllowed(TOKEN_EXCHANGE_GRANT_TYPE)) {
    throw new errors.UnauthorizedClient(
      'requested grant type is not allowed for this client any more',
    )
  }
  await findActor(provider, ctx, found)
  await requireStillTrue(provider, ctx, found.token)
}

/**
 * Checks, after the redemption, for an end that came before it could find the redeemed record: a
 * mark, or a grant that is gone (an end ends, I11). It checks with `ending.enabled: false`, too,
 * because another process on the same store may end impersonations.
 *
 * @throws errors.InvalidRequest if there is one. The subject token stays redeemed, and its record
 * has ended.
 * @throws the storage's error
 */
async function requireNotEnded(
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

/**
 * Returns the error itself if the provider responds to it with 500, or else a plain error: trouble
 * never reads as a refusal (I5). The provider takes the status and the words of a response from
 * the error.
 */
function trouble(thrown: unknown): Error {
  const isPlain = thrown instanceof Error && !('statusCode' in thrown) && !('expose' in thrown)
  return isPlain ? thrown : new Error('token exchange failed', { cause: thrown })
}
