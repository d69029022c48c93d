import type { ClientMetadata } from 'oidc-provider'
import { resolve, text } from 'oidc-provider-impersonation/siblings'
import { originRule, pathRule } from '../kernel/option-rules.ts'

/** The origin of a page, and its client. */
export interface PageClientOptions {
  /** The public origin of the console: `https://id.example.com`. */
  readonly url: string
  /** @defaultValue 'support-console', or 'customer-account' */
  readonly clientId?: string | undefined
  /** @defaultValue '/console', or '/account' */
  readonly path?: string | undefined
}

/**
 * The metadata of the console's client, for `clients` of the provider's configuration: public, with
 * the code flow and PKCE.
 *
 * @throws TypeError for a wrong option
 */
export function supportConsoleClient(options: PageClientOptions): ClientMetadata {
  return client('Support console', 'supportConsoleClient', options, 'support-console', '/console')
}

/** As {@link supportConsoleClient}, for the page on which customers see who acted as them. */
export function customerAccountClient(options: PageClientOptions): ClientMetadata {
  return client('Your account', 'customerAccountClient', options, 'customer-account', '/account')
}

function client(
  name: string,
  caller: string,
  options: PageClientOptions,
  usualId: string,
  usualPath: string,
): ClientMetadata {
  const rules = {
    url: originRule.required('the public origin of the console'),
    clientId: text.or(usualId),
    path: pathRule.or(usualPath),
  }
  const { url, clientId, path } = resolve(rules, options, caller)
  const page = `${new URL(url).origin}${path}`
  return {
    client_id: clientId,
    client_name: name,
    application_type: 'web',
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code'],
    response_types: ['code'],
    redirect_uris: [`${page}/callback`],
    post_logout_redirect_uris: [page],
  }
}
