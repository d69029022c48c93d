import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { AuditTrail } from '../../events/trail.ts'
import { limitInProcess } from '../../policy/limit-in-process.ts'
import type { ActClaim } from '../../public/claims-hook.ts'
import type { EndCause, ImpersonationObject } from '../../public/list-and-end.ts'
import { AccessTokenRejected } from '../../tokens/access-token.ts'
import { asInvalidToken, type CurrentParts, currentToken } from './current-token.ts'

/** A page asks every 5 seconds at most, and once more for each event of its own. */
const MAX_REQUESTS = 20
const WINDOW_SECONDS = 10

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
export function showCurrent(provider: Provider, { verifier, impersonations }: CurrentParts) {
  const limit = limitInProcess({ requests: MAX_REQUESTS, seconds: WINDOW_SECONDS })

  return async (ctx: KoaContextWithOIDC): Promise<void> => {
    try {
      ctx.body = await current(ctx)
    } catch (error) {
      throw asInvalidToken(error)
    }
  }

  async function current(ctx: KoaContextWithOIDC): Promise<CurrentImpersonation> {
    const { impersonationId, expiresAt } = await currentToken(provider, ctx, {
      verify: verifier.verifyUserTokenEvenEnded,
      verifier,
      trail: new AuditTrail(provider, ctx, 'end'),
      admit: (token) => limit(token.impersonationId),
    })
    const impersonation = await impersonations.get(impersonationId)
    if (!impersonation || impersonation.state === 'expired') {
      throw new AccessTokenRejected('its impersonation is gone, or has expired')
    }
    const { end } = impersonation
    if (!end) return { state: 'active', expiresAt }
    return { state: 'ended', expiresAt, end: { cause: end.cause, by: endedBy(impersonation) } }
  }
}

function endedBy({ end, userId, actor }: ImpersonationObject): 'customer' | 'operator' | 'other' {
  const sub = end?.by?.sub
  if (end?.cause === 'user' || sub === userId) return 'customer'
  return sub !== undefined && hasActor(actor, sub) ? 'operator' : 'other'
}

function hasActor(act: ActClaim | undefined, sub: string): boolean {
  return act !== undefined && (act.sub === sub || hasActor(act.act, sub))
}
