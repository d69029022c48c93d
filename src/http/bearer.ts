import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import type { AuditTrail } from '../events/trail.ts'
import { checkDpopReplayAt, validateDpopAt } from '../host/grants.ts'
import { clientCertificateThumbprint, dpopAlgorithms } from '../host/instance.ts'
import { optionsOf } from '../options/defaults.ts'
import { type ManagementRights, rightsOf } from '../policy/clients.ts'
import { NoCredentials } from '../shared/errors.ts'
import { verifierOf } from '../tokens/access-token.ts'
import { AccessTokenRejected, type VerifiedAccessToken } from '../tokens/jwt-access-token.ts'

/** An access token that a request shows, not verified yet, and the proof that came with it. */
export interface PresentedToken {
  readonly value: string
  /**
   * I10: a token that is bound to a key is refused without proof of the key, and a token that is not
   * bound is refused under the DPoP scheme.
   *
   * @throws AccessTokenRejected
   */
  requireProof(token: VerifiedAccessToken): void
  /** Refuses a proof that was used before. */
  useProof(clientId: string): Promise<void>
}

/**
 * Reads the access token of a request: as a bearer token (RFC 6750 §2.1), or with proof of the key
 * that it is bound to (RFC 9449 §7, RFC 8705 §3).
 *
 * @throws {@link NoCredentials}, errors.InvalidToken, errors.InvalidDpopProof, errors.UseDpopNonce
 */
export async function presentedToken(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  trail: AuditTrail,
): Promise<PresentedToken> {
  const dpopEnabled = dpopAlgorithms(provider) !== undefined
  const { scheme, value } = credentials(ctx.get('Authorization'), dpopEnabled)
  trail.conceal(value)
  const dPoP = scheme === 'dpop' ? await validateDpopAt(provider, ctx, value) : undefined
  return {
    value,
    requireProof: (token) =>
      requireProof(token, scheme, dPoP?.thumbprint, () =>
        clientCertificateThumbprint(provider, ctx),
      ),
    useProof: (clientId) => checkDpopReplayAt(provider, ctx, dPoP, clientId),
  }
}

/**
 * Authenticates a machine-to-machine client that has the right by its access token: `ctx.oidc.client`.
 *
 * @throws {@link NoCredentials}, AccessTokenRejected, errors.InvalidToken, errors.InsufficientScope,
 * errors.InvalidDpopProof, errors.UseDpopNonce
 */
export async function authenticate(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  trail: AuditTrail,
  action: keyof ManagementRights,
): Promise<void> {
  const { scope, may } = rightsOf.of(provider)[action]
  const verifier = verifierOf.of(provider)
  const presented = await presentedToken(provider, ctx, trail)
  const token = await verifier.verifyClientToken(presented.value)
  // Who ends need not be who asked for the subject token.
  trail.note(action === 'issue' ? { issuedTo: token.clientId } : { client: token.clientId })
  // RFC 9068 §4: "The resource server MUST validate that the aud claim contains a resource
  // indicator value corresponding to an identifier the resource server expects for itself."
  if (token.audience !== optionsOf.of(provider).managementApi.resource) {
    throw new AccessTokenRejected('for another audience')
  }
  presented.requireProof(token)
  const client = await verifier.findClient(token.clientId)
  if (!(await may(client))) {
    throw new AccessTokenRejected(`its client is not named for managementApi.clients.${action}`)
  }
  if (!token.scopes.has(scope)) {
    throw new errors.InsufficientScope(`access token lacks the scope ${scope}`, scope)
  }
  await presented.useProof(client.clientId)
  ctx.oidc.entity('Client', client)
}

function requireProof(
  token: VerifiedAccessToken,
  scheme: Scheme,
  jkt: string | undefined,
  x5t: () => string | undefined,
): void {
  if (scheme === 'bearer' && token.jkt !== undefined) {
    throw new AccessTokenRejected('sender-constrained, but presented as a bearer token')
  }
  if (scheme === 'dpop' && (jkt === undefined || token.jkt !== jkt)) {
    throw new AccessTokenRejected('presented with DPoP, but not bound to the key of the proof')
  }
  if (token.x5t !== undefined && token.x5t !== x5t()) {
    throw new AccessTokenRejected('bound to a certificate that the request does not show')
  }
}

type Scheme = 'bearer' | 'dpop'

function credentials(
  authorization: string,
  dpopEnabled: boolean,
): { scheme: Scheme; value: string } {
  const named = /^(bearer|dpop)(?: |$)/i.exec(authorization)?.[1]?.toLowerCase()
  // An unsupported scheme counts as no credentials: "the client [...] attempted using an
  // unsupported authentication method" (RFC 6750 §3.1).
  const scheme = named === 'bearer' || (named === 'dpop' && dpopEnabled) ? named : undefined
  if (!scheme) throw new NoCredentials()
  // RFC 6750 §2.1: b64token; RFC 9449 §7.1: token68.
  const value = /^[a-z]+ +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1]
  if (value === undefined) {
    throw new errors.InvalidToken({ cause: new Error('malformed Authorization header') })
  }
  return { scheme, value }
}
