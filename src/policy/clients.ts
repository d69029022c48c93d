import type { Client, Provider } from 'oidc-provider'
import { instance } from '../host/weak-cache.ts'
import type { ClientRule } from '../public/options.ts'
import { END_SCOPE, READ_SCOPE } from '../shared/constants.ts'

/** An action at the management API. */
export type Action = 'issue' | 'read' | 'end'

/** The scope that a machine-to-machine token needs for it. */
export function scopeFor(provider: Provider, action: Action): string {
  if (action === 'issue') return instance(provider).options.managementApi.scope
  return action === 'read' ? READ_SCOPE : END_SCOPE
}

/**
 * Checks whether a client may do one action at the management API: it is named for it, it has the
 * `client_credentials` grant, and it authenticates.
 *
 * @throws Error if the deployment's function fails or returns no boolean (fail closed, I9)
 */
export async function mayClient(
  provider: Provider,
  action: Action,
  client: Client,
): Promise<boolean> {
  // RFC 6749 §4.4: "The client credentials grant type MUST only be used by confidential clients."
  if (isPublic(client) || !client.grantTypeAllowed('client_credentials')) return false
  const rule = instance(provider).options.managementApi.clients[action]
  return isNamed(client, rule, `features.impersonation.managementApi.clients.${action}`)
}

/** Checks whether a client authenticates by its id alone, which is public. */
export function isPublic(client: Client): boolean {
  return client.clientAuthMethod === 'none'
}

/**
 * Checks whether a rule names a client. It throws as {@link mayClient} does.
 *
 * @param path - the path of the option with the rule, for errors
 */
export async function isNamed(client: Client, rule: ClientRule, path: string): Promise<boolean> {
  if (typeof rule !== 'function') return rule.includes(client.clientId)
  let answer: unknown
  try {
    answer = await rule(client)
  } catch (cause) {
    throw new Error(`${path} failed`, { cause })
  }
  if (typeof answer === 'boolean') return answer
  throw new Error(`${path} must answer true or false, or a promise of one`)
}
