// The provider as it would be without impersonation: yours is another one, and stays as it is.
import { hkdfSync } from 'node:crypto'
import type { Grant, KoaContextWithOIDC } from 'oidc-provider'
import { interactionPolicy, type ProviderConfiguration } from 'oidc-provider-impersonation'
import { findAccount, SCOPE_CLAIMS } from './accounts.ts'
import { clients, resourceServerInfo, SHOP_CLIENT_ID, SUPPORT_BACKEND } from './clients.ts'
import type { Config } from './config.ts'
import { logoutPages, renderError } from './demo/provider-pages.ts'
import type { Parts } from './server.ts'

const HOUR_S = 60 * 60
const WORKING_DAY_S = 8 * HOUR_S

export function configuration(
  config: Config,
  { url, shopUrl, keys, storage }: Parts,
): ProviderConfiguration {
  const policy = interactionPolicy.base()
  policy.remove('consent')

  return {
    adapter: storage.adapter,
    jwks: { keys: keys.signing.map((key) => ({ ...key })) },
    cookies: { keys: [...keys.cookies] },
    clients: clients(config, url, shopUrl),
    // RFC 6749 §2.3.1: secrets in the body are "NOT RECOMMENDED".
    clientAuthMethods: ['client_secret_basic', 'none'],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    // Browsers send their origin with a POST to the same origin too.
    clientBasedCORS: (_ctx, origin, { clientId }) =>
      origin === (clientId === SHOP_CLIENT_ID ? shopUrl : url),
    responseTypes: ['code'],
    pkce: { required: () => true },
    claims: SCOPE_CLAIMS,
    findAccount,
    loadExistingGrant: grantWhatIsAsked,
    interactions: { policy, url: (_ctx, { uid }) => `/sign-in/${uid}` },
    renderError,
    ttl: {
      AccessToken: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? HOUR_S,
      AuthorizationCode: 60,
      ClientCredentials: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? HOUR_S / 6,
      Grant: WORKING_DAY_S,
      IdToken: HOUR_S,
      Interaction: HOUR_S,
      Session: WORKING_DAY_S,
    },
    features: {
      clientCredentials: { enabled: true },
      resourceIndicators: { enabled: true, getResourceServerInfo: resourceServerInfo(url) },
      devInteractions: { enabled: false },
      // A client that sends a proof of a key gets a token bound to that key. Proofs are optional.
      // Clients with a wrong clock need nonces. All copies of the provider share their secret.
      dPoP: {
        enabled: true,
        nonceSecret: Buffer.from(hkdfSync('sha256', keys.cookies[0] ?? '', '', 'DPoP nonces', 32)),
      },
      introspection: {
        enabled: true,
        allowedPolicy: (_ctx, { clientId }, token) =>
          clientId === SUPPORT_BACKEND || clientId === token.clientId,
      },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, { clientId }, token) => clientId === token.clientId,
      },
      userinfo: { enabled: true },
      rpInitiatedLogout: { enabled: true, ...logoutPages },
    },
  }
}

/**
 * `loadExistingGrant` of oidc-provider: first-party clients get all requested scopes without a
 * question. A deployment with third-party clients asks for consent instead.
 */
async function grantWhatIsAsked({ oidc }: KoaContextWithOIDC): Promise<Grant | undefined> {
  const { client, session, provider, requestParamScopes } = oidc
  if (!client || !session?.accountId) return undefined
  const id = session.grantIdFor(client.clientId)
  const grant =
    (id ? await provider.Grant.find(id) : undefined) ??
    new provider.Grant({ clientId: client.clientId, accountId: session.accountId })
  grant.addOIDCScope([...oidc.requestParamOIDCScopes].join(' '))
  grant.addOIDCClaims([...oidc.requestParamClaims])
  for (const [indicator, server] of Object.entries(oidc.resourceServers ?? {})) {
    const scopes = [...requestParamScopes].filter((scope) => server.scopes.has(scope))
    if (scopes.length > 0) grant.addResourceScope(indicator, scopes.join(' '))
  }
  await grant.save()
  return grant
}
