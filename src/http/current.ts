import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { trailOf } from '../events/trail.ts'
import { instance } from '../host/weak-cache.ts'
import { endImpersonation } from '../impersonations/end.ts'
import { CURRENT_END } from '../impersonations/inputs.ts'
import { getImpersonation } from '../impersonations/list.ts'
import { readInput } from '../options/rules.ts'
import type { Actor } from '../public/hooks.ts'
import type { Impersonation } from '../public/objects.ts'
import { personIn } from '../shared/act.ts'
import { AccessTokenRejected, type VerifiedAccessToken } from '../tokens/access-token.ts'
import { presentedToken } from './bearer.ts'
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
async function readToken(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  verify: (value: string) => Promise<VerifiedAccessToken>,
  count: (impersonationId: string) => void = () => {},
): Promise<VerifiedAccessToken & { readonly impersonationId: string }> {
  const trail = trailOf(ctx)
  const presented = await presentedToken(provider, ctx)
  const token = await verify(presented.value)
  const { impersonationId, clientId } = token
  trail.add({ userId: token.accountId, client: clientId })
  if (impersonationId === undefined) throw new AccessTokenRejected('not of an impersonation')
  trail.add({ id: impersonationId })
  presented.requireProof(token)
  // clientBasedCORS needs the client, if the request comes from another origin.
  ctx.oidc.entity('Client', await instance(provider).verifier.requireClient(clientId))
  count(impersonationId)
  await presented.useProof(clientId)
  return { ...token, impersonationId }
}

/** `POST {issuer}/impersonations/current/end`: ends the impersonation of the token. */
export async function endCurrent(provider: Provider, ctx: KoaContextWithOIDC): Promise<void> {
  const { verifyUserToken } = instance(provider).verifier
  const { impersonationId, act } = await readToken(provider, ctx, verifyUserToken)
  const { reason } = hasBody(ctx)
    ? readInput(CURRENT_END, await readJsonBody(ctx, MAX_BODY_BYTES))
    : {}
  const sub = personIn(act)
  const how = { by: sub === undefined ? undefined : { sub }, reason }
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
export async function showCurrent(provider: Provider, ctx: KoaContextWithOIDC): Promise<void> {
  const { verifyUserTokenEvenEnded: verify } = instance(provider).verifier
  const { countCurrent: count } = instance(provider)
  const { impersonationId, expiresAt } = await readToken(provider, ctx, verify, count)
  const impersonation = await getImpersonation(provider, impersonationId)
  if (!impersonation || impersonation.state === 'expired') {
    throw new AccessTokenRejected('its impersonation is gone, or has expired')
  }
  const { end, review } = impersonation
  ctx.body = {
    state: end ? 'ended' : 'active',
    expiresAt,
    ...(review === undefined ? {} : { review: true }),
    ...(end ? { end: { cause: end.cause, by: endedBy(impersonation) } } : {}),
  }
}

function endedBy({ end, userId, actor }: Impersonation): 'customer' | 'operator' | 'other' {
  const sub = end?.by?.sub
  if (end?.cause === 'user' || sub === userId) return 'customer'
  return sub !== undefined && hasActor(actor, sub) ? 'operator' : 'other'
}

function hasActor(actor: Actor | undefined, sub: string): boolean {
  return actor !== undefined && (actor.sub === sub || hasActor(actor.act, sub))
}
