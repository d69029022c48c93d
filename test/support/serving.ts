import { createServer, type RequestListener, type Server } from 'node:http'
import type { Configuration } from 'oidc-provider'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { Provider, TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { basic, CLIENTS, signingKey } from './deployment.ts'
import { listening } from './token-issuer.ts'

const resource = 'https://id.example.com/api'

/** The smallest valid `features.impersonation`. */
export const enabled = { enabled: true, managementApi: { resource, clients: ['backend'] } }

/** A configuration as a deployment has it, without impersonation. */
export const configuration: Configuration = {
  adapter: createMemoryAdapter(),
  jwks: { keys: [signingKey] },
  clientDefaults: { id_token_signed_response_alg: 'ES256' },
  clients: CLIENTS,
  cookies: { keys: ['test'] },
  findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
  features: {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      getResourceServerInfo: () => ({ scope: 'read', accessTokenFormat: 'jwt' }),
    },
  },
}

/** The drop-in with that configuration. */
export function providerAt(issuer: string): Provider {
  return new Provider(issuer, {
    ...configuration,
    features: { ...configuration.features, impersonation: enabled },
  })
}

/** Issues and exchanges against `base`, and answers the two statuses. */
export async function wholeFlow(base: string, issuer: string, more = {}): Promise<number[]> {
  const token = async (form: Record<string, string>, headers = {}) =>
    fetch(`${issuer}/token`, {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: { ...headers, ...more },
    })
  const m2m = await token(
    { grant_type: 'client_credentials', resource, scope: 'impersonate' },
    basic('backend', 'backend-secret'),
  )
  // biome-ignore lint/suspicious/noExplicitAny: two answers, each read once.
  const { access_token }: any = await m2m.json()
  const issued = await fetch(`${base}/api/subject-tokens`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${access_token}`,
      'content-type': 'application/json',
      ...more,
    },
    body: JSON.stringify({ userId: 'alice' }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  const { subjectToken }: any = await issued.json()
  const exchanged = await token({
    grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
    client_id: 'console',
    subject_token: subjectToken,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    resource: 'https://orders.example',
    scope: 'read',
  })
  return [issued.status, exchanged.status]
}

/** Serves what `build` returns on a free port for as long as `use` runs. */
export async function serving(
  build: (base: string, server: Server) => RequestListener | Promise<RequestListener>,
  use: (base: string) => Promise<unknown>,
): Promise<void> {
  const server = createServer()
  const base = await listening(server)
  server.on('request', await build(base, server))
  try {
    await use(base)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}
