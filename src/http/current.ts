import type { KoaContextWithOIDC } from 'oidc-provider'
import { trailOf } from '../events/trail.ts'
import { instance } from '../host/weak-cache.ts'
import { endImpersonation } from '../impersonations/end.ts'
import { CURRENT_END } from '../impersonations/inputs.ts'
import { getImpersonation } from '../impersonations/list.ts'
import { readInput } from '../options/rules.ts'
import type { Impersonation } from '../public/objects.ts'
import { actorOf, personIn } from '../shared/act.ts'
import { AccessTokenRejected, type VerifiedAccessToken } from '../tokens/access-token.ts'
import type { Step } from './answers.ts'
import { verifyBearer } from './bearer.ts'
import { hasBody, readJsonBody } from './body.ts'

/** The limit of the body, which is a few words. */
const MAX_BODY_BYTES = 1024
/**
 * The limit of requests for the state of one impersonation. A page sends one every 5 seconds at
 * most, and one more for each event of its own.
 */
export const MAX_REQUESTS = { requests: 20, seconds: 10 }

/**
 * Reads the impersonated access token of a request.
 *
 * @param verify - takes a token whose impersonation lives, or also one whose impersonation has
 * ended
 * @param count - limits the requests of a token, after the proof of the key, and before the proof
 * is stored as used
 * @throws AccessTokenRejected for every other token; errors of the proof and of CORS as they are
 */
function readToken(
  ctx: KoaContextWithOIDC,
  verify: (value: string) => Promise<VerifiedAccessToken>,
  count: (impersonationId: string) => void = () => {},
) {
  const verifyImpersonated = async (value: string) => {
    const token = await verify(value)
    const { impersonationId, accountId: userId, clientId: client } = token
    trailOf(ctx).add({ userId, client })
    if (impersonationId === undefined) throw new AccessTokenRejected('not of an impersonation')
    trailOf(ctx).add({ id: impersonationId })
    return { ...token, impersonationId }
  }
  return verifyBearer(ctx, verifyImpersonated, (_, { impersonationId }) => count(impersonationId))
}

/** `POST {issuer}/impersonations/current/end`: ends the impersonation of the token. */
export const endCurrent: Step = async (ctx) => {
  const { provider } = ctx.oidc
  const { verifyUserToken } = instance(provider).verifier
  const { impersonationId, act } = await readToken(ctx, verifyUserToken)
  const body = hasBody(ctx) ? await readJsonBody(ctx, MAX_BODY_BYTES) : {}
  const { reason } = readInput(CURRENT_END, body)
  const how = { by: actorOf(personIn(act)), reason }
  const before = await getImpersonation(provider, impersonationId)
  // Also for an ended impersonation: the event of an end whose outcome was unknown may be due.
  const after = await endImpersonation(provider, impersonationId, how, ctx)
  if (!before || before.state === 'ended') {
    throw new AccessTokenRejected('its impersonation has ended already')
  }
  if (after?.state !== 'ended') throw new AccessTokenRejected('its impersonation has expired')
  ctx.status = 204
}

/**
 * `GET {issuer}/impersonations/current`: sends the state of the token's impersonation, until the
 * token expires, whether it has ended or not. Omits names and reasons, because the operator sees
 * it. It raises no event.
 */
export const showCurrent: Step = async (ctx) => {
  const { provider } = ctx.oidc
  const { countCurrent, verifier } = instance(provider)
  const token = await readToken(ctx, verifier.verifyUserTokenEvenEnded, countCurrent)
  const impersonation = await getImpersonation(provider, token.impersonationId)
  if (!impersonation || impersonation.state === 'expired') {
    throw new AccessTokenRejected('its impersonation is gone, or has expired')
  }
  const { end, review } = impersonation
  ctx.body = {
    state: end ? 'ended' : 'active',
    expiresAt: token.expiresAt,
    review: review === undefined ? undefined : true,
    end: end && { cause: end.cause, by: endedBy(impersonation) },
  }
}

function endedBy({ end, userId, actor }: Impersonation): 'customer' | 'operator' | 'other' {
  const sub = end?.by?.sub
  if (end?.cause === 'user' || sub === userId) return 'customer'
  return sub !== undefined && sub === actor?.sub ? 'operator' : 'other'
}
