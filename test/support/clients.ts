import type { ClientMetadata } from 'oidc-provider'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'

export const REDIRECT_URI = 'https://console.example.com/callback'

const user = { redirect_uris: [REDIRECT_URI] }

/** A client for the client credentials grant, but for its id. */
export const machine = {
  client_secret: 'secret',
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
}

/** The clients every test deployment has. */
export const CLIENTS: ClientMetadata[] = [
  { ...machine, client_id: 'backend', client_secret: 'backend-secret' },
  {
    ...user,
    client_id: 'console',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token', TOKEN_EXCHANGE_GRANT_TYPE],
  },
  {
    ...user,
    client_id: 'web',
    client_secret: 'web-secret',
    grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
  },
  {
    ...user,
    client_id: 'plain',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code'],
  },
]
