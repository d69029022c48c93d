import type { Client } from 'oidc-provider'
import type { ClientRule } from '../public/options.ts'

/**
 * Whether a client may do one thing at the management API: it is named for it, it has the
 * `client_credentials` grant, and it authenticates.
 *
 * @throws Error where the deployment's function fails or answers no boolean (I9)
 */
export type MayClient = (client: Client) => Promise<boolean> | boolean

/**
 * @param rule the clients that are named, or the function that names them
 * @param path the option that it stands in, for errors
 */
export function mayClient(rule: ClientRule, path: string): MayClient {
  const isNamed = asksClient(rule, path)
  return (client) => {
    // RFC 6749 §4.4: "The client credentials grant type MUST only be used by confidential clients."
    if (isPublic(client) || !client.grantTypeAllowed('client_credentials')) return false
    return isNamed(client)
  }
}

/** Whether a rule names a client. It throws as {@link MayClient} does. */
export function asksClient(rule: ClientRule, path: string): MayClient {
  return (client) =>
    typeof rule === 'function' ? ask(rule, client, path) : rule.includes(client.clientId)
}

/** Whether a client authenticates by its id alone, which is public. */
export function isPublic(client: Client): boolean {
  return client.clientAuthMethod === 'none'
}

async function ask(
  rule: Exclude<ClientRule, readonly string[]>,
  client: Client,
  path: string,
): Promise<boolean> {
  let answer: unknown
  try {
    answer = await rule(client)
  } catch (cause) {
    throw new Error(`${path} failed`, { cause })
  }
  if (typeof answer === 'boolean') return answer
  throw new Error(`${path} must answer true or false, or a promise of one`)
}
