/**
 * Who may redeem a subject token. In RFC 8693, `may_act` is a claim about a user; here it belongs
 * to one subject token.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8693#section-4.4
 */
export interface MayAct {
  /** The operator's account id: the exchange must carry an actor token of that account. */
  readonly sub?: string | undefined
  /** The client that must exchange. */
  readonly clientId?: string | undefined
}

/** What a subject token was bound to when it was issued. An absent member means: no binding. */
export interface Binding {
  readonly mayAct?: MayAct | undefined
  /** The resources it may be exchanged for. */
  readonly resource?: readonly string[] | undefined
  /** The maximum scope of its access token; the empty string means no scope. */
  readonly scope?: string | undefined
}

/** A member of an issue request that restricts the token, and that a deployment can insist on. */
export type BindingMember = 'mayAct' | 'resource' | 'scope' | 'expiresIn'
