import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { AuditTrail } from '../events/trail.ts'
import { slot } from '../host/slot.ts'
import { endImpersonation } from '../impersonations/end.ts'
import { checkCurrentEnd } from '../impersonations/inputs.ts'
import { getImpersonation } from '../impersonations/list.ts'
import { limit, limiterInProcess } from '../policy/limits.ts'
import type { ActClaim } from '../public/hooks.ts'
import type { EndCause, Impersonation } from '../public/objects.ts'
import type { RateLimiter } from '../public/options.ts'
import { MAX_CHAIN, parseAct, personAndSoftware } from '../shared/act.ts'
import {
  AccessTokenRejected,
  type VerifiedAccessToken,
  verifierOf,
} from '../tokens/access-token.ts'
import { presentedToken } from './bearer.ts'
import { hasBody, readJson } from './body.ts'

/** The body is a few words. */
const MAX_BODY_BYTES = 1024
/** A page asks every 5 seconds at most, and once more for each event of its own. */
const MAX_REQUESTS = { requests: 20, seconds: 10 }

const limiterOf = slot<RateLimiter>('the limiter of what asks for its own state')

/** An impersonated access token that a request shows, with its proof. */
interface CurrentToken extends VerifiedAccessToken {
  readonly impersonationId: string
}

/**
 * Reads the impersonated access token of a request.
 *
 * @param verify takes one whose impersonation lives, or also one whose impersonation has ended
 * @param admit called with the id, after the proof of the key and before it is stored as used
 * @throws AccessTokenRejected for every other token; errors of the proof and of CORS as they are
 */
async function readToken(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  trail: AuditTrail,
  verify: (value: string) => Promise<VerifiedAccessToken>,
  admit?: (id: string) => Promise<void>,
): Promise<CurrentToken> {
  const presented = await presentedToken(provider, ctx, trail)
  const token = await verify(presented.value)
  trail.add({ subject: token.accountId, client: token.clientId })
  const { impersonationId } = token
  if (impersonationId === undefined) throw new AccessTokenRejected('not of an impersonation')
  trail.add({ id: impersonationId })
  presented.requireProof(token)
  // Asks clientBasedCORS, where the request comes from another origin.
  ctx.oidc.entity('Client', await verifierOf.of(provider).findClient(token.clientId))
  await admit?.(impersonationId)
  await presented.useProof(token.clientId)
  return { ...token, impersonationId }
}

/** `POST {issuer}/impersonations/current/end`: ends the impersonation of the token. */
export async function endCurrent(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  trail: AuditTrail,
): Promise<void> {
  const { verifyUserToken } = verifierOf.of(provider)
  const { impersonationId, act } = await readToken(provider, ctx, trail, verifyUserToken)
  const { reason } = hasBody(ctx) ? checkCurrentEnd(await readJson(ctx, MAX_BODY_BYTES)) : {}
  const { actor: by } = personAndSoftware(parseAct(act, MAX_CHAIN))
  const how = { ...(by ? { by: { sub: by.sub } } : {}), ...(reason ? { reason } : {}) }
  const before = await getImpersonation(provider, impersonationId)
  // Also of one that has ended: the event of an end whose outcome was not known may be due.
  const after = await endImpersonation(provider, impersonationId, how, ctx)
  if (!before || before.state === 'ended') {
    throw new AccessTokenRejected('its impersonation has ended already')
  }
  if (after?.state !== 'ended') throw new AccessTokenRejected('its impersonation has expired')
  ctx.status = 204
}

/** What `GET {issuer}/impersonations/current` answers. */
interface CurrentImpersonation {
  readonly state: 'active' | 'ended'
  /** When the access token expires, in seconds since the epoch. */
  readonly expiresAt: number
  readonly end?: {
    readonly cause: EndCause
    readonly by: 'customer' | 'operator' | 'other'
  }
}

/**
 * `GET {issuer}/impersonations/current`: how things stand with the impersonation of the token, until
 * the token expires, whether it has ended or not. It says no name, and not what was said about an end:
 * the person at the screen is the operator. No event comes of it.
 */
export async function showCurrent(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  trail: AuditTrail,
): Promise<void> {
  const { verifyUserTokenEvenEnded: verify } = verifierOf.of(provider)
  const limiter =
    limiterOf.find(provider) ?? limiterOf.set(provider, limiterInProcess(MAX_REQUESTS))
  const admit = (id: string) => limit(limiter, id, 1)
  const { impersonationId, expiresAt } = await readToken(provider, ctx, trail, verify, admit)
  const impersonation = await getImpersonation(provider, impersonationId)
  if (!impersonation || impersonation.state === 'expired') {
    throw new AccessTokenRejected('its impersonation is gone, or has expired')
  }
  const { end } = impersonation
  const body: CurrentImpersonation = end
    ? { state: 'ended', expiresAt, end: { cause: end.cause, by: endedBy(impersonation) } }
    : { state: 'active', expiresAt }
  ctx.body = body
}

function endedBy({ end, userId, actor }: Impersonation): 'customer' | 'operator' | 'other' {
  const sub = end?.by?.sub
  if (end?.cause === 'user' || sub === userId) return 'customer'
  return sub !== undefined && hasActor(actor, sub) ? 'operator' : 'other'
}

function hasActor(act: ActClaim | undefined, sub: string): boolean {
  return act !== undefined && (act.sub === sub || hasActor(act.act, sub))
}
