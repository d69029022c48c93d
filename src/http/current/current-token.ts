import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import type { AuditTrail } from '../../events/trail.ts'
import type { Impersonations } from '../../impersonations/impersonations.ts'
import type { AccessTokenVerifier } from '../../tokens/access-token.ts'
import { AccessTokenRejected, type VerifiedAccessToken } from '../../tokens/access-token.ts'
import { presentedToken } from '../bearer.ts'

/** What the routes of the current impersonation take. */
export interface CurrentParts {
  readonly verifier: AccessTokenVerifier
  readonly impersonations: Impersonations
}

/** An impersonated access token that a request shows, with its proof. */
export interface CurrentToken extends VerifiedAccessToken {
  readonly impersonationId: string
}

interface Reading {
  /** Verifies the value: as one that lives, or also as one whose impersonation has ended. */
  readonly verify: (value: string) => Promise<VerifiedAccessToken>
  readonly verifier: AccessTokenVerifier
  readonly trail: AuditTrail
  /** Called with the token and its proof of the key, before a proof is stored as used. */
  readonly admit?: (token: CurrentToken) => void
}

/**
 * Reads the impersonated access token of a request.
 *
 * @throws AccessTokenRejected for every other token; errors of the proof and of CORS as they are
 */
export async function currentToken(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  { verify, verifier, trail, admit }: Reading,
): Promise<CurrentToken> {
  const presented = await presentedToken(provider, ctx, trail)
  const token = await verify(presented.value)
  trail.note({ subject: token.accountId, client: token.clientId })
  const { impersonationId } = token
  if (impersonationId === undefined) throw new AccessTokenRejected('not of an impersonation')
  const current = { ...token, impersonationId }
  trail.note({ id: impersonationId })
  presented.requireProof(token)
  // Asks clientBasedCORS, where the request comes from another origin.
  ctx.oidc.entity('Client', await verifier.findClient(token.clientId))
  admit?.(current)
  await presented.useProof(token.clientId)
  return current
}

/** What a caller gets for a token that is not accepted: never why. */
export function asInvalidToken(error: unknown): unknown {
  return error instanceof AccessTokenRejected ? new errors.InvalidToken({ cause: error }) : error
}
