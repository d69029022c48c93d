import type { Client } from 'oidc-provider'
import type { BindingMember } from './binding.ts'

/** `managementApi`: the endpoint that issues subject tokens. */
export interface ManagementApiOptions {
  /**
   * The resource indicator of the management API: an absolute URI without fragment, and the
   * audience of the machine-to-machine tokens that it accepts. Required once `enabled`.
   * @see https://www.rfc-editor.org/rfc/rfc8707#section-2
   * @example
   * resource: 'https://id.example.com/api'
   */
  resource?: string | undefined
  /**
   * The scope that a machine-to-machine token must carry: one scope token.
   * @see https://www.rfc-editor.org/rfc/rfc6749#section-3.3
   * @defaultValue `'impersonate'`
   * @example
   * scope: 'support:impersonate'
   */
  scope?: string | undefined
  /**
   * The path before `/subject-tokens`, below wherever `routes()` is mounted: `''` or `/segments`.
   * @defaultValue `'/api'`
   * @example
   * prefix: '/support'
   */
  prefix?: string | undefined
  /**
   * Lifetime of machine-to-machine tokens for the management API, in seconds: 1 to 86400.
   * @defaultValue `600`
   */
  tokenTtl?: number | undefined
  /**
   * Format of machine-to-machine tokens. A JWT costs no storage; an opaque one can be revoked.
   * @defaultValue `'jwt'`
   */
  tokenFormat?: 'jwt' | 'opaque' | undefined
  /**
   * Which clients may use the management API, and for what. Required once `enabled`. A list of
   * client ids alone is short for `{ issue }`.
   *
   * A client needs the `client_credentials` grant beside being named, and it must authenticate: a
   * public client (`token_endpoint_auth_method: 'none'`) never may. Its own `scope` need not list
   * the scope of the management API: being named is what counts.
   *
   * A client that is not named any more is refused with tokens that it already has, and so are the
   * subject tokens that it issued.
   * @example
   * clients: ['backend']
   */
  clients?: readonly string[] | ManagementClients | undefined
  /**
   * Members that every request for a subject token must have: of `mayAct`, `resource`, `scope`,
   * `expiresIn`. `mayAct` may name the operator, the client, or both; `authorize` can ask for more.
   * @defaultValue `[]`
   */
  requireBinding?: readonly BindingMember[] | undefined
}

/**
 * Names clients: by a list of their ids, or by a function, for deployments that keep clients in a
 * database. An empty list names none. Where clients register themselves, a function that says
 * `true` to all names strangers. One that throws, or that answers anything but a boolean or a
 * promise of one, is a 500.
 */
export type ClientRule = readonly string[] | ((client: Client) => boolean | Promise<boolean>)

/** Which clients may do what at the management API. */
export interface ManagementClients {
  /**
   * The clients that may issue subject tokens, and so act as any user. Asked when a client gets a
   * token for the management API, at each of its requests, and when what it issued is exchanged.
   * @example
   * issue: (client) => ['backend', 'batch'].includes(client.clientId)
   */
  issue: ClientRule
  /**
   * The clients that may see impersonations: who helped whom, when and why. They ask for the scope
   * `impersonations:read`. The right to issue does not include it.
   * @defaultValue `[]`
   * @example
   * read: ['backend', 'dashboard']
   */
  read?: ClientRule | undefined
  /**
   * The clients that may end impersonations. They ask for the scope `impersonations:end`.
   * @defaultValue `[]`
   * @example
   * end: ['on-call']
   */
  end?: ClientRule | undefined
}
