import type { ClientMetadata } from 'oidc-provider'
import { TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'

/** The client of the shop. */
export const SHOP = 'shop'

/** A public client: customers sign in with it, and operators act in it. */
export function shopClient(url: string): ClientMetadata {
  return {
    client_id: SHOP,
    client_name: 'Shop',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
    response_types: ['code'],
    redirect_uris: [`${url}/signed-in`, `${url}/acting`],
    post_logout_redirect_uris: [`${url}/`],
  }
}
