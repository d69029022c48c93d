import { createServer, type RequestListener, type Server } from 'node:http'
import type { Configuration } from 'oidc-provider'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import {
  ACCESS_TOKEN_TYPE,
  type ImpersonationOptions,
  Provider,
  TOKEN_EXCHANGE_GRANT_TYPE,
} from '../../src/index.ts'
import { CLIENTS, signingKey } from './deployment.ts'
import { type Answer, answerOf, basic, type Form, urlencoded } from './http.ts'
import { closed, listening } from './token-issuer.ts'

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

/** The drop-in with that configuration, and a deployment's own on top. */
export function providerAt(
  issuer: string,
  own: Configuration = {},
  impersonation: Partial<ImpersonationOptions> = {},
): Provider {
  return new Provider(issuer, {
    ...configuration,
    adapter: createMemoryAdapter(),
    ...own,
    features: { ...configuration.features, impersonation: { ...enabled, ...impersonation } },
  })
}

type Headers = Record<string, string>

/** `POST {issuer}/token`. */
export async function token(issuer: string, form: Form, headers: Headers = {}): Promise<Answer> {
  const body = urlencoded(form)
  return answerOf(await fetch(`${issuer}/token`, { method: 'POST', body, headers }))
}

/** `POST {base}/api/subject-tokens` with a machine-to-machine token of `issuer`. */
export async function issue(
  base: string,
  issuer: string,
  body = '{"userId":"alice"}',
  headers: Headers = {},
): Promise<Answer> {
  const form = { grant_type: 'client_credentials', resource, scope: 'impersonate' }
  const machine = await token(issuer, form, basic('backend', 'backend-secret'))
  const authorization = `Bearer ${machine.body.access_token}`
  const all = { authorization, 'content-type': 'application/json', ...headers }
  return answerOf(await fetch(`${base}/api/subject-tokens`, { method: 'POST', body, headers: all }))
}

/** Exchanges a subject token by the public client, if no other one authenticates. */
export function exchange(
  issuer: string,
  subject_token: string,
  headers: Headers = {},
  actor_token?: string,
): Promise<Answer> {
  const form = {
    grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
    client_id: headers.authorization ? undefined : 'console',
    subject_token,
    subject_token_type: ACCESS_TOKEN_TYPE,
    actor_token,
    actor_token_type: actor_token && ACCESS_TOKEN_TYPE,
    resource: 'https://orders.example',
    scope: 'read',
  }
  return token(issuer, form, headers)
}

/** Issues and exchanges against `base`, and answers the two statuses. */
export async function wholeFlow(base: string, issuer: string, more: Headers = {}) {
  const issued = await issue(base, issuer, undefined, more)
  const exchanged = await exchange(issuer, issued.body.subjectToken, more)
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
    await closed(server)
  }
}
