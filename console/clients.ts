import type { ClientMetadata } from 'oidc-provider'
import { TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'

/** The public clients of the two pages: `support-console` and `customer-account`. */
export function consoleClients(url: string): ClientMetadata[] {
  return [
    {
      client_id: 'support-console',
      client_name: 'Support console',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
      response_types: ['code'],
      redirect_uris: [`${url}/console/callback`],
      post_logout_redirect_uris: [`${url}/console`],
    },
    {
      client_id: 'customer-account',
      client_name: 'Customer account',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      redirect_uris: [`${url}/account/callback`],
      post_logout_redirect_uris: [`${url}/account`],
    },
  ]
}
