/** Who may redeem a subject token: RFC 8693 §4.4, said of one token rather than of a user. */
export interface MayAct {
  /** The operator's account id: the exchange must carry an actor token of that account. */
  readonly sub?: string | undefined
  /** The client that must exchange. */
  readonly clientId?: string | undefined
}

/** What a subject token was bound to when it was issued. What is absent is not bound. */
export interface Binding {
  readonly mayAct?: MayAct | undefined
  /** The resources it may be exchanged for. */
  readonly resource?: readonly string[] | undefined
  /** The most its access token may carry; the empty string for nothing. */
  readonly scope?: string | undefined
}

/** The members of an issue request that restrict the token, and that a deployment can insist on. */
export const BINDING_MEMBERS = ['mayAct', 'resource', 'scope', 'expiresIn'] as const

/** One of {@link BINDING_MEMBERS}. */
export type BindingMember = (typeof BINDING_MEMBERS)[number]

/** The scopes of `asked` that `most` allows; all of them where there is no such limit. */
export function narrowScope(
  asked: string | undefined,
  most: string | undefined,
): string | undefined {
  if (asked === undefined || most === undefined) return asked
  const allowed = new Set(most.split(' '))
  return scopeOf(asked.split(' ').filter((scope) => allowed.has(scope)))
}

/** A scope value, or `undefined` for no scopes: RFC 6749 §3.3 has no empty scope. */
export function scopeOf(scopes: readonly string[]): string | undefined {
  return scopes.length > 0 ? scopes.join(' ') : undefined
}
