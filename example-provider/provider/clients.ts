import type { ClientMetadata } from 'oidc-provider'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import type { Config } from '../config.ts'

/** The machine client that asks for subject tokens and introspects the tokens of its callers. */
export const SUPPORT_BACKEND = 'support-backend'
/** The application for operators that has its own server. */
export const SUPPORT_WEB = 'support-web'
/** The application for operators that runs in the browser. */
export const SUPPORT_CONSOLE = 'support-console'
/** The application that shows customers who acted as them. */
export const CUSTOMER_ACCOUNT = 'customer-account'

/** The applications in which operators sign in. They may act for operators. */
export const OPERATOR_CLIENTS: readonly string[] = [SUPPORT_WEB, SUPPORT_CONSOLE]

export function clients(config: Config, baseUrl: string): ClientMetadata[] {
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
      client_id: SUPPORT_WEB,
      client_name: 'Support web application',
      client_secret: config.supportWebSecret,
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
      response_types: ['code'],
      redirect_uris: [`${baseUrl}/support/callback`],
    },
    {
      client_id: SUPPORT_CONSOLE,
      client_name: 'Support console',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
      response_types: ['code'],
      redirect_uris: [`${baseUrl}/console/callback`],
      post_logout_redirect_uris: [`${baseUrl}/console`],
    },
    {
      client_id: CUSTOMER_ACCOUNT,
      client_name: 'Customer account',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      redirect_uris: [`${baseUrl}/account/callback`],
      post_logout_redirect_uris: [`${baseUrl}/account`],
    },
  ]
}
