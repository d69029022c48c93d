import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { trailOf } from '../events/trail.ts'
import { checkDpopReplayAt, validateDpopAt } from '../host/grants.ts'
import { clientCertificateThumbprint, dpopAlgorithms } from '../host/instance.ts'
import { instance } from '../host/weak-cache.ts'
import { type Action, mayClient, scopeFor } from '../policy/clients.ts'
import { NoCredentials } from '../shared/errors.ts'
import { type Credentials, parseAuthorization, unprovenBinding } from '../shared/sender.ts'
import { AccessTokenRejected, type VerifiedAccessToken } from '../tokens/access-token.ts'

/** The access token of a request, not verified yet, and the proof that came with it. */
interface PresentedToken {
  readonly value: string
  /**
   * Refuses a token that is bound to a key without proof of the key, and a token that is not bound
   * under the DPoP scheme (not downgraded, I10).
   *
   * @throws AccessTokenRejected
   */
  requireProof(token: VerifiedAccessToken): void
  /** Refuses a proof that was used before. */
  useProof(clientId: string): Promise<void>
}

/**
 * Reads the access token of a request, as a bearer token (RFC 6750 §2.1), or with proof of the key
 * that it is bound to (RFC 9449 §7, RFC 8705 §3).
 *
 * @throws {@link NoCredentials}, errors.InvalidToken, errors.InvalidDpopProof, errors.UseDpopNonce
 */
export async function presentedToken(
  provider: Provider,
  ctx: KoaContextWithOIDC,
): Promise<PresentedToken> {
  const dpopEnabled = dpopAlgorithms(provider) !== undefined
  const { scheme, value } = credentials(ctx.get('Authorization'), dpopEnabled)
  trailOf(ctx).conceal(value)
  const dPoP = scheme === 'dpop' ? await validateDpopAt(provider, ctx, value) : undefined
  return {
    value,
    requireProof(token) {
      const unproven = unprovenBinding(token, {
        jkt: dPoP?.thumbprint,
        x5t: () => clientCertificateThumbprint(provider, ctx),
      })
      if (unproven !== undefined) throw new AccessTokenRejected(unproven)
      if (scheme === 'dpop' && token.jkt === undefined) {
        throw new AccessTokenRejected('is presented with DPoP, and not bound to a key')
      }
    },
    useProof: (clientId) => checkDpopReplayAt(provider, ctx, dPoP, clientId),
  }
}

/**
 * Authenticates a machine-to-machine client with the right by its access token: `ctx.oidc.client`.
 *
 * @throws {@link NoCredentials}, AccessTokenRejected, errors.InvalidToken,
 * errors.InsufficientScope, errors.InvalidDpopProof, errors.UseDpopNonce
 */
export async function authenticate(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  action: Action,
): Promise<void> {
  const { options, verifier } = instance(provider)
  const presented = await presentedToken(provider, ctx)
  const token = await verifier.verifyClientToken(presented.value)
  // The client that ends may differ from the client that requested the subject token.
  trailOf(ctx).add(
    action === 'issue' ? { requestedBy: token.clientId } : { client: token.clientId },
  )
  // RFC 9068 §4: "The resource server MUST validate that the aud claim contains a resource
  // indicator value corresponding to an identifier the resource server expects for itself."
  if (token.audience !== options.managementApi.resource) {
    throw new AccessTokenRejected('for another audience')
  }
  presented.requireProof(token)
  const client = await verifier.requireClient(token.clientId)
  if (!(await mayClient(provider, action, client))) {
    throw new AccessTokenRejected(`its client is not named for managementApi.clients.${action}`)
  }
  const scope = scopeFor(provider, action)
  if (!token.scopes.has(scope)) {
    throw new errors.InsufficientScope(`access token lacks the scope ${scope}`, scope)
  }
  await presented.useProof(client.clientId)
  ctx.oidc.entity('Client', client)
}

/** @throws {@link NoCredentials}, errors.InvalidToken */
function credentials(
  authorization: string,
  dpopEnabled: boolean,
): Credentials & { readonly value: string } {
  const shown = parseAuthorization(authorization)
  // An unsupported scheme counts as no credentials: "the client [...] attempted using an
  // unsupported authentication method" (RFC 6750 §3.1).
  if (!shown || (shown.scheme === 'dpop' && !dpopEnabled)) throw new NoCredentials()
  const { scheme, value } = shown
  if (value !== undefined) return { scheme, value }
  throw new errors.InvalidToken({ cause: new Error('malformed Authorization header') })
}
