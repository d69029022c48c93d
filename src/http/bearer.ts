import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider'
import { trailOf } from '../events/trail.ts'
import { checkDpopReplay, validateDpop } from '../host/grants.ts'
import { clientCertificateThumbprint, dpopAlgorithms } from '../host/instance.ts'
import { instance } from '../host/weak-cache.ts'
import { type Action, mayClient, scopeFor } from '../policy/clients.ts'
import { NoCredentials } from '../shared/errors.ts'
import { parseAuthorization, unprovenBinding } from '../shared/sender.ts'
import { AccessTokenRejected, type VerifiedAccessToken } from '../tokens/access-token.ts'
import type { Step } from './answers.ts'

/**
 * Verifies the access token of a request, as a bearer token (RFC 6750 §2.1), or with proof of the
 * key that it is bound to (RFC 9449 §7, RFC 8705 §3). A token that is bound to a key is refused
 * without proof of the key, and one that is not bound under the DPoP scheme (not downgraded, I10).
 *
 * @param verify - verifies its value, and adds its facts to the trail
 * @param judge - judges its client, before the proof is stored as used
 * @throws {@link NoCredentials}, {@link AccessTokenRejected}, errors.InvalidToken,
 * errors.InvalidDpopProof, errors.UseDpopNonce
 */
export async function verifyBearer<Token extends VerifiedAccessToken>(
  ctx: KoaContextWithOIDC,
  verify: (value: string) => Promise<Token>,
  judge: (client: Client, token: Token) => Promise<void> | void,
): Promise<Token> {
  const { provider } = ctx.oidc
  const shown = parseAuthorization(ctx.get('Authorization'))
  const isDpop = shown?.scheme === 'dpop'
  // An unsupported scheme counts as no credentials: "the client [...] attempted using an
  // unsupported authentication method" (RFC 6750 §3.1).
  if (!shown || (isDpop && !dpopAlgorithms(provider))) throw new NoCredentials()
  const { value } = shown
  if (value === undefined) throw new AccessTokenRejected('malformed Authorization header')
  trailOf(ctx).conceal(value)
  const dPoP = isDpop ? await validateDpop(provider, ctx, value) : undefined
  const token = await verify(value)
  const unproven = unprovenBinding(token, {
    jkt: dPoP?.thumbprint,
    x5t: () => clientCertificateThumbprint(provider, ctx),
  })
  if (unproven !== undefined) throw new AccessTokenRejected(unproven)
  if (isDpop && token.jkt === undefined) {
    throw new AccessTokenRejected('is presented with DPoP, and not bound to a key')
  }
  const client = await instance(provider).verifier.requireClient(token.clientId)
  // clientBasedCORS needs the client, if the request comes from another origin.
  ctx.oidc.entity('Client', client)
  await judge(client, token)
  await checkDpopReplay(provider, ctx, dPoP, client.clientId, errors.InvalidToken)
  return token
}

/**
 * Authenticates a machine-to-machine client with the right by its access token: `ctx.oidc.client`.
 *
 * @throws the errors of {@link verifyBearer}, and errors.InsufficientScope
 */
export function authenticate(action: Action): Step {
  return async (ctx, next) => {
    const { provider } = ctx.oidc
    const { options, verifier } = instance(provider)
    const verify = async (value: string) => {
      const token = await verifier.verifyClientToken(value)
      const { clientId } = token
      // The client that ends may differ from the client that requested the subject token.
      trailOf(ctx).add(action === 'issue' ? { requestedBy: clientId } : { client: clientId })
      // RFC 9068 §4: "The resource server MUST validate that the aud claim contains a resource
      // indicator value corresponding to an identifier the resource server expects for itself."
      if (token.audience === options.managementApi.resource) return token
      throw new AccessTokenRejected('for another audience')
    }
    await verifyBearer(ctx, verify, async (client, { scopes }) => {
      if (!(await mayClient(provider, action, client))) {
        throw new AccessTokenRejected(`its client is not named for managementApi.clients.${action}`)
      }
      const scope = scopeFor(provider, action)
      if (scopes.has(scope)) return
      throw new errors.InsufficientScope(`access token lacks the scope ${scope}`, scope)
    })
    await next()
  }
}
