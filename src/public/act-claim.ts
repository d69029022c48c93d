/**
 * The `act` claim: who acts. Software that acts has its client id in `sub` and in `client_id`, so that
 * it is told apart from an account with the same id; the person for whom it acts is its `act`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8693#section-4.1
 */
export interface ActClaim {
  /** The operator's account id, or the client id of software. */
  readonly sub: string
  /** Of software alone: its client id. */
  readonly client_id?: string | undefined
  /** The prior actor: the person for whom software acts, or the one before in a chain. */
  readonly act?: ActClaim | undefined
}
