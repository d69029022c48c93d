import type { Audit } from '../audit/audit.ts'

/** Settings for token introspection at the provider. */
export interface IntrospectionOptions {
  /** The URL at which the backend reaches the provider. */
  readonly providerUrl: string
  readonly clientId: string
  readonly clientSecret: string
}

/** What the backend needs to know about the provider. A separate process could have the same. */
export interface BackendOptions extends IntrospectionOptions {
  /** The resource indicator of the management API. */
  readonly managementResource: string
  /** The resource indicator of the orders API. Operators get tokens for this resource only. */
  readonly ordersResource: string
  /** The applications from which the backend accepts the tokens of operators. */
  readonly operatorClients: readonly string[]
  readonly audit: Audit
  /** Aborts when the server stops. Open streams end, and no new ones begin. */
  readonly closing?: AbortSignal
  /**
   * Milliseconds between two signs of life of a stream. The stream also checks the token of the
   * operator at each of them.
   * @defaultValue 15 seconds
   */
  readonly heartbeat?: number
  /**
   * The clock, in milliseconds since the epoch.
   * @defaultValue `Date.now`
   */
  readonly now?: () => number
}
