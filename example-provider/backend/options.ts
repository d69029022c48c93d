import type { Audit } from '../audit/audit.ts'

/** How the provider is asked whose token it is. */
export interface IntrospectionOptions {
  /** Where the backend reaches the provider. */
  readonly providerUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

/** What the backend has to know about the provider: nothing that a process of its own could not. */
export interface BackendOptions extends IntrospectionOptions {
  /** The resource indicator of the management API. */
  readonly managementResource: string
  /** The resource indicator of the orders API, the only one that operators get tokens for. */
  readonly ordersResource: string
  /** The applications whose tokens are accepted from operators. */
  readonly operatorClients: readonly string[]
  readonly audit: Audit
  /** Says that the server is to stop: streams end, and no more are opened. */
  readonly closing?: AbortSignal
  /**
   * How often a stream gives a sign of life, and its operator's token is looked at again, in
   * milliseconds.
   * @defaultValue 15 seconds
   */
  readonly heartbeat?: number
  /**
   * The clock, in milliseconds since the epoch.
   * @defaultValue `Date.now`
   */
  readonly now?: () => number
}
