/** What the backend has to know about the provider: nothing that a process of its own could not. */
export interface BackendOptions {
  /** Where the backend reaches the provider. */
  readonly providerUrl: string
  /** The resource indicator of the management API. */
  readonly managementResource: string
  /** The resource indicator of the orders API, the only one that operators get tokens for. */
  readonly ordersResource: string
  readonly clientId: string
  readonly clientSecret: string
  /** The applications whose tokens are accepted from operators. */
  readonly operatorClients: readonly string[]
  /**
   * The clock, in milliseconds since the epoch.
   * @defaultValue `Date.now`
   */
  readonly now?: () => number
}
