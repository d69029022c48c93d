/**
 * The `act` claim: who acts.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8693#section-4.1
 */
export interface ActClaim {
  /** The operator's account id. */
  readonly sub: string
  /** The prior actor in the chain, where chains are allowed. */
  readonly act?: ActClaim | undefined
}
