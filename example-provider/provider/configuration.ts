import type { AdapterFactory } from '../../src/adapters/record.ts'
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
import { authorize, STRICT_RULES } from './policy.ts'
import { resourceServers } from './resources.ts'
import { exchangeLimits } from './throttle.ts'

/** The hook: what the backend said about the impersonation becomes a claim. */
const getCustomJwtClaims: GetCustomJwtClaims = async ({ context }) => {
  if (context.grant.type !== TOKEN_EXCHANGE_GRANT_TYPE) return {}
  const { ticketId, reason, supportEngineerId } = context.grant.subjectTokenContext
  return {
    impersonation_context: { ticket_id: ticketId, reason, support_engineer: supportEngineerId },
  }
}

const HOUR = 3600
/** A working day. */
const SESSION = 8 * HOUR

export function providerConfiguration(
  config: Config,
  baseUrl: string,
  { keys, adapter }: { keys: Keys; adapter: AdapterFactory },
): ProviderConfiguration {
  const policy = interactionPolicy.base()
  policy.remove('consent')

  return {
    adapter,
    jwks: { keys: keys.signing.map((key) => ({ ...key })) },
    cookies: { keys: [...keys.cookies] },
    clients: clients(config, baseUrl),
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    // Browsers name their origin in a POST to the same one, too.
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
      devInteractions: { enabled: false },
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
        managementApi: { resource: `${baseUrl}/api` },
        authorize,
        limits: exchangeLimits(config.limitPerMinute),
        getCustomJwtClaims,
        ...(config.strict ? STRICT_RULES : {}),
      },
    },
  }
}
