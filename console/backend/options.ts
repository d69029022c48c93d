import type { Audit } from '../audit/audit.ts'
import type { People } from '../people.ts'

/** Settings for token introspection at the provider. */
export interface IntrospectionOptions {
  /** The URL at which the provider is reached from here. */
  readonly providerUrl: string
  /** A confidential client that may introspect the tokens of all clients. */
  readonly clientId: string
  readonly clientSecret: string
}

/** What the endpoints below `/support` need. */
export interface BackendOptions extends IntrospectionOptions {
  readonly people: People
  /** The applications from which the backend accepts the tokens of operators. */
  readonly operatorClients: readonly string[]
  readonly audit: Audit
  /** Aborts when the server stops. Open streams end, and no new ones begin. */
  readonly closing?: AbortSignal | undefined
  /**
   * Milliseconds between two signs of life of a stream. The stream also checks the token of the
   * operator at each of them.
   * @defaultValue 15 seconds
   */
  readonly heartbeat?: number | undefined
}
