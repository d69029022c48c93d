import type { Configuration } from 'oidc-provider'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import {
  ACCESS_TOKEN_TYPE,
  type ImpersonationOptions,
  Provider,
  TOKEN_EXCHANGE_GRANT_TYPE,
} from '../../src/index.ts'
import { type Answer, answerOf, basic, type Form, urlencoded } from '../support/http.ts'
import { configuration, enabled } from '../support/serving.ts'

/** A provider as test/support/serving.ts has it, with a deployment's own configuration on top. */
export function providerWith(
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

/** Asks for a machine-to-machine token. */
export function machineToken(issuer: string, headers: Headers = {}): Promise<Answer> {
  const { resource } = enabled.managementApi
  const form = { grant_type: 'client_credentials', resource, scope: 'impersonate' }
  return token(issuer, form, { ...basic('backend', 'backend-secret'), ...headers })
}

/** `POST {base}/api/subject-tokens` with a machine-to-machine token of `issuer`. */
export async function issue(
  base: string,
  issuer: string,
  body = '{"userId":"alice"}',
  headers: Headers = {},
): Promise<Answer> {
  const authorization = `Bearer ${(await machineToken(issuer)).body.access_token}`
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
