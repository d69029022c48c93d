import { hkdfSync } from 'node:crypto'
import type { AdapterFactory } from '../../src/adapters/contract.ts'
import {
  type GetCustomJwtClaims,
  interactionPolicy,
  type ProviderConfiguration,
  TOKEN_EXCHANGE_GRANT_TYPE,
} from '../../src/index.ts'
import type { Config } from '../config.ts'
import { CLAIMS, findAccount } from './accounts.ts'
import { clients, SUPPORT_BACKEND } from './clients.ts'
import { grantWhatIsAsked } from './grants.ts'
import type { Keys } from './keys.ts'
import { logoutPages, renderError } from './pages.ts'
import { RULES, STRICT_RULES } from './policy.ts'
import { resourceServers } from './resources.ts'
import { exchangeLimits } from './throttle.ts'

/** The hook: copies the context that the backend sent into a claim. */
const getCustomJwtClaims: GetCustomJwtClaims = async ({ context }) => {
  if (context.grant.type !== TOKEN_EXCHANGE_GRANT_TYPE) return {}
  const { ticketId, reason, supportEngineerId } = context.grant.subjectTokenContext
  return {
    impersonation_context: { ticket_id: ticketId, reason, support_engineer: supportEngineerId },
  }
}

/** The secret for nonces, which clients with a wrong clock need. All copies share it. */
function nonceSecret({ cookies: [key = ''] }: Keys): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', 'DPoP nonces', 32))
}

const HOUR = 3600
/** One working day. */
const SESSION = 8 * HOUR

export function providerConfiguration(
  config: Config,
  baseUrl: string,
  { keys, adapter }: { keys: Keys; adapter: AdapterFactory },
): ProviderConfiguration {
  const policy = interactionPolicy.base()
  policy.remove('consent')
  const { requireBinding, ...rules } = config.strict ? STRICT_RULES : RULES

  return {
    adapter,
    jwks: { keys: keys.signing.map((key) => ({ ...key })) },
    cookies: { keys: [...keys.cookies] },
    clients: clients(config, baseUrl),
    // RFC 6749 §2.3.1: secrets in the body are "NOT RECOMMENDED".
    clientAuthMethods: ['client_secret_basic', 'none'],
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    // Browsers send their origin with a POST to the same origin too.
    clientBasedCORS: (_ctx, origin) => origin === baseUrl,
    responseTypes: ['code'],
    pkce: { required: () => true },
    claims: CLAIMS,
    findAccount,
    loadExistingGrant: grantWhatIsAsked,
    interactions: { policy, url: (_ctx, { uid }) => `/sign-in/${uid}` },
    renderError,
    ttl: {
      AccessToken: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? HOUR,
      AuthorizationCode: 60,
      ClientCredentials: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? HOUR / 6,
      Grant: SESSION,
      IdToken: HOUR,
      Interaction: HOUR,
      Session: SESSION,
    },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      // A client that sends a proof of a key gets a token bound to that key. Proofs are optional.
      dPoP: { enabled: true, nonceSecret: nonceSecret(keys) },
      introspection: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) =>
          client.clientId === SUPPORT_BACKEND || client.clientId === token.clientId,
      },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => client.clientId === token.clientId,
      },
      userinfo: { enabled: true },
      rpInitiatedLogout: { enabled: true, ...logoutPages },
      resourceIndicators: { enabled: true, getResourceServerInfo: resourceServers(baseUrl) },
      impersonation: {
        enabled: true,
        managementApi: {
          resource: `${baseUrl}/api`,
          clients: { issue: [SUPPORT_BACKEND], read: [SUPPORT_BACKEND], end: [SUPPORT_BACKEND] },
          requireBinding,
        },
        limits: exchangeLimits(config.limitPerMinute),
        getCustomJwtClaims,
        ...rules,
      },
    },
  }
}
