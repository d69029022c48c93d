// The clients of the provider, and the resource that they get tokens for.
import type { Client, ClientMetadata, KoaContextWithOIDC, ResourceServer } from 'oidc-provider'
import { errors, TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import { customerAccountClient, supportConsoleClient } from 'oidc-provider-impersonation-console'
import type { Config } from './config.ts'

/** The client of the backend, for which the console issues, too: it asks for subject tokens. */
export const SUPPORT_BACKEND = 'support-backend'

/** Software that acts for an operator, at the MCP server of demo/copilot-tools.ts. */
export const COPILOT_CLIENT_ID = 'copilot'

/** The application of customers, in which operators act, too: it has no secret. */
export const SHOP_CLIENT_ID = 'shop'

/**
 * The operators' own applications, which ask the support backend: one with a server of its own, and
 * one without a secret, which is `npm run demo` and the commands of `npm start -- --commands`.
 */
export const OPERATOR_CLIENTS: readonly string[] = ['support-web', 'support-tool']

export function clients(config: Config, url: string, shopUrl: string): ClientMetadata[] {
  return [
    {
      client_id: SUPPORT_BACKEND,
      client_name: 'Support backend',
      client_secret: config.supportBackendSecret,
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
    },
    {
      client_id: 'support-web',
      client_name: 'Support web application',
      client_secret: config.supportWebSecret,
      token_endpoint_auth_method: 'client_secret_basic',
      // Only a client with this grant type can exchange subject tokens.
      grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
      response_types: ['code'],
      redirect_uris: [`${url}/support/callback`],
    },
    {
      client_id: 'support-tool',
      client_name: 'Support tool',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
      response_types: ['code'],
      redirect_uris: [`${url}/support/callback`],
    },
    {
      client_id: COPILOT_CLIENT_ID,
      client_name: 'Support copilot',
      client_secret: config.copilotSecret,
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: [TOKEN_EXCHANGE_GRANT_TYPE],
      response_types: [],
      redirect_uris: [],
    },
    // The ID token says when the person signed in: see the sign-out page.
    { ...supportConsoleClient({ url }), require_auth_time: true },
    { ...customerAccountClient({ url }), require_auth_time: true },
    {
      client_id: SHOP_CLIENT_ID,
      client_name: 'Shop',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
      response_types: ['code'],
      redirect_uris: [`${shopUrl}/signed-in`, `${shopUrl}/acting`],
      post_logout_redirect_uris: [`${shopUrl}/`],
    },
  ]
}

/** `getResourceServerInfo` of oidc-provider: the two APIs, only for tokens of users. */
export function resourceServerInfo(url: string) {
  return (ctx: KoaContextWithOIDC, resource: string, client: Client): ResourceServer => {
    const isMachine = ctx.oidc.params?.grant_type === 'client_credentials'
    const allowed = {
      [`${url}/orders`]: [SHOP_CLIENT_ID, ...OPERATOR_CLIENTS],
      [`${url}/mcp`]: [COPILOT_CLIENT_ID],
    }[resource]
    if (isMachine || !allowed?.includes(client.clientId)) {
      throw new errors.InvalidTarget()
    }
    return {
      scope: 'orders:read orders:write',
      audience: resource,
      accessTokenFormat: 'jwt',
      accessTokenTTL: 600,
      jwt: { sign: { alg: 'ES256' } },
    }
  }
}
