import { errors, type Provider, type TokenEndpointGrantContext } from 'oidc-provider'
import { claimsOf } from '../claims/claims.ts'
import { AuditTrail } from '../events/trail.ts'
import { buildTokenResponse, checkDpopReplay } from '../host/grants.ts'
import { endLater, markChain } from '../impersonations/end.ts'
import { optionsOf } from '../options/defaults.ts'
import { failureKey, limit } from '../policy/limits.ts'
import { actClaim } from '../shared/act.ts'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT_TYPE } from '../shared/constants.ts'
import { TooManyRequests } from '../shared/errors.ts'
import { AccessTokenRejected, verifierOf } from '../tokens/access-token.ts'
import type { SubjectToken } from '../tokens/subject-token.ts'
import {
  type FoundActor,
  findActor,
  findSoftware,
  requireRecentLook,
  requireThroughLives,
} from './actor.ts'
import { permissionToExchange, resolveTarget } from './decision.ts'
import { type ExchangeRequest, parseExchangeRequest } from './request.ts'
import {
  findSubject,
  findUnused,
  type Redeemer,
  redeemSubjectToken,
  requireNotExpired,
  requireStillTrue,
  type Subject,
} from './subject.ts'
import { type PreparedToken, prepareAccessToken } from './token.ts'

/**
 * The grant handler: an exchange in six steps, with one event for each request. Everything is checked, and
 * the access token is prepared, before the subject token is redeemed (check, redeem, issue: I2).
 */
export async function exchange(provider: Provider, ctx: TokenEndpointGrantContext): Promise<void> {
  const trail = new AuditTrail(provider, ctx, 'exchange')
  const { client } = ctx.oidc
  const { failedExchanges } = optionsOf.of(provider).rateLimits
  const key = failedExchanges ? failureKey(client, ctx.ip) : ''
  trail.add({ client: client.clientId })
  let answer: object
  try {
    await limit(failedExchanges, key, 0)
    const request = await parse(provider, ctx, trail)
    const found = await find(provider, ctx, request, trail)
    const decided = await decide(provider, ctx, request, found, trail)
    answer = await redeem(provider, ctx, request, found, decided, trail)
  } catch (thrown) {
    // The client must retry with the DPoP nonce just sent (RFC 9449 §8). Not a failure: not counted,
    // no event.
    if (thrown instanceof errors.UseDpopNonce) throw thrown
    const error = await refusal(thrown, () => limit(failedExchanges, key, 1))
    if (error instanceof TooManyRequests) ctx.set('Retry-After', String(error.retryAfter))
    const isPublic = error instanceof errors.OIDCProviderError && error.expose
    trail.failed(error, isPublic ? error.error : 'server_error')
    if (trail.replayed !== undefined) endLater(provider, trail.replayed, 'replay')
    throw error
  }
  // Nobody acts before it is recorded (I13).
  await trail.succeeded((id) => endLater(provider, id, 'notRecorded'))
  ctx.body = answer
}

async function parse(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  trail: AuditTrail,
): Promise<ExchangeRequest> {
  const request = await parseExchangeRequest(provider, ctx)
  trail.conceal(request.subjectToken, request.actorToken)
  return request
}

/** Who acts, as whom, and what allows it. */
interface Found extends Redeemer, Subject {
  readonly operator: FoundActor | undefined
  /** When the look at who acts began, in milliseconds, by the monotonic clock. */
  readonly lookedAt: number
}

async function find(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  request: ExchangeRequest,
  trail: AuditTrail,
): Promise<Found> {
  const lookedAt = performance.now()
  const { client, subjectToken } = request
  const software = await findSoftware(provider, ctx, client)
  if (software !== undefined) trail.add({ software })
  // The actor token first, so that its error is the same in every state of the subject token (I6).
  const operator = await findActor(provider, ctx, request).catch(async (refused) => {
    // For the audit alone. Storage that fails is no refusal (I5).
    if (refused instanceof errors.InvalidRequest) {
      await findUnused(provider, subjectToken, trail).catch((error) => {
        if (!(error instanceof errors.InvalidRequest)) throw error
      })
    }
    throw refused
  })
  if (operator) trail.add({ actor: actClaim(operator.actor) })
  const redeemer = { client, actor: operator?.actor, software }
  const subject = await findSubject(provider, ctx, subjectToken, redeemer, trail)
  return { ...redeemer, ...subject, operator, lookedAt }
}

/** What is issued, if the subject token is redeemed. */
interface Decided extends PreparedToken {
  readonly resource: string
  readonly scope: string | undefined
  readonly permit: string | readonly string[] | undefined
  readonly review: string | undefined
  /** When the rule had answered, where it named a permit, which may be revoked meanwhile. */
  readonly permittedAt: number | undefined
}

async function decide(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  request: ExchangeRequest,
  found: Found,
  trail: AuditTrail,
): Promise<Decided> {
  const target = await resolveTarget(provider, ctx, request)
  const { resourceServer } = target
  const resource = resourceServer.identifier()
  trail.add({ resource })
  const permission = await permissionToExchange(provider, ctx, found, target)
  const permittedAt = permission.permit === undefined ? undefined : performance.now()
  const { scope, permit = found.token.permit, review = found.token.review } = permission
  const prepared = await prepareAccessToken(
    provider,
    ctx,
    request,
    found,
    resourceServer,
    permission,
    trail,
  )
  return { ...prepared, resource, scope, permit, review, permittedAt }
}

/** @returns the body of the answer */
async function redeem(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  request: ExchangeRequest,
  { token, operator, software, lookedAt }: Found,
  { resource, scope, permit, review, permittedAt, ...issued }: Decided,
  trail: AuditTrail,
): Promise<object> {
  const { clientId, dPoP } = request
  const { actor, grant, through } = operator ?? {}
  const { format, jti, expiresAt, expiresIn, tokenType } = issued
  let since = lookedAt
  if (optionsOf.of(provider).authorize || claimsOf.of(provider).hasHooks) {
    since = permittedAt ?? performance.now()
    await requireUnchanged(provider, ctx, request, token)
  }
  await checkDpopReplay(provider, ctx, dPoP, clientId)
  if (through !== undefined) await markChain(provider, through)
  requireRecentLook(since)
  const redemption = {
    ...(actor ? { actor: actor.sub, act: actClaim(actor) } : {}),
    grant,
    through,
    client: clientId,
    software,
    resource,
    scope,
    permit,
    review,
    format,
    expiresAt,
  }
  await redeemSubjectToken(provider, token, redemption, trail)
  try {
    // For ends that came during the redemption.
    requireNotExpired(token)
    requireRecentLook(since)
    if (through !== undefined) await requireThroughLives(provider, through)
    const accessToken = await issued.save()
    trail.add({ scope, expiresAt, jti, permit, review })
    const issuedTokenType = ACCESS_TOKEN_TYPE
    return buildTokenResponse(provider, {
      accessToken,
      expiresIn,
      issuedTokenType,
      scope,
      tokenType,
    })
  } catch (error) {
    endLater(provider, token.jti, 'nothingIssued')
    throw error
  }
}

/**
 * Code of the deployment had its say, and may have waited, for example for the decision of a person. User,
 * operator, issuing client or the client that exchanges may be gone by now (still true at exchange, I7).
 *
 * @throws errors.InvalidRequest, errors.UnauthorizedClient
 */
async function requireUnchanged(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  request: ExchangeRequest,
  token: SubjectToken,
): Promise<void> {
  if (!(await mayStillExchange(provider, request.clientId))) {
    throw new errors.UnauthorizedClient(
      'requested grant type is not allowed for this client any more',
    )
  }
  await findActor(provider, ctx, request)
  await requireStillTrue(provider, ctx, token)
}

async function mayStillExchange(provider: Provider, clientId: string): Promise<boolean> {
  try {
    const client = await verifierOf.of(provider).findClient(clientId)
    return client.grantTypeAllowed(TOKEN_EXCHANGE_GRANT_TYPE)
  } catch (error) {
    if (error instanceof AccessTokenRejected) return false
    throw error
  }
}

/**
 * What to answer: the protocol error, or 429 instead of one too many of them. Every other error is a 500:
 * trouble never reads as a refusal (I5).
 */
async function refusal(thrown: unknown, countFailure: () => Promise<void>): Promise<Error> {
  if (thrown instanceof TooManyRequests) return thrown
  if (!(thrown instanceof errors.OIDCProviderError)) return trouble(thrown)
  try {
    await countFailure()
    return thrown
  } catch (tooMany) {
    if (!(tooMany instanceof TooManyRequests)) return trouble(tooMany)
    // The client learns nothing more; the audit gets the first error.
    tooMany.cause = thrown
    return tooMany
  }
}

/**
 * The error itself, for `server_error`, where the provider answers it with 500: it takes the status
 * and the words of an answer from what the error has.
 */
function trouble(thrown: unknown): Error {
  const isPlain = thrown instanceof Error && !('statusCode' in thrown) && !('expose' in thrown)
  return isPlain ? thrown : new Error('token exchange failed', { cause: thrown })
}
