/** The scopes of `asked` that `most` allows. Without `most`, all scopes of `asked`. */
export function narrowScope(
  asked: string | undefined,
  most: string | undefined,
): string | undefined {
  if (asked === undefined || most === undefined) return asked
  const allowed = new Set(most.split(' '))
  return joinScopes(asked.split(' ').filter((scope) => allowed.has(scope)))
}

/** A scope value, or `undefined` for no scopes: RFC 6749 §3.3 has no empty scope. */
export function joinScopes(scopes: readonly string[]): string | undefined {
  return scopes.length > 0 ? scopes.join(' ') : undefined
}
