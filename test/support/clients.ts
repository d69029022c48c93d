import type { ClientMetadata } from 'oidc-provider'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'

export const REDIRECT_URI = 'https://console.example.com/callback'

/** A client for the client credentials grant, but for its id. */
export const machine = {
  client_secret: 'secret',
  grant_types: ['client_credentials'],
  redirect_uris: [],
  response_types: [],
}

/** A client of an application with a server, at which operators act, but for its id and secret. */
export const confidential = {
  redirect_uris: [REDIRECT_URI],
  grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
}

/** The same without a server, but for its id. */
export const application = { ...confidential, token_endpoint_auth_method: 'none' as const }

/** The clients every test deployment has. */
export const CLIENTS: ClientMetadata[] = [
  { ...machine, client_id: 'backend', client_secret: 'backend-secret' },
  {
    ...application,
    client_id: 'console',
    grant_types: [...application.grant_types, 'refresh_token'],
  },
  { ...confidential, client_id: 'web', client_secret: 'web-secret' },
  { ...application, client_id: 'plain', grant_types: ['authorization_code'] },
]
