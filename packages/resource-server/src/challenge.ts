/** Characters that a quoted string of a challenge must not have: RFC 6749 §5.2. */
const NOT_PRINTABLE = /[^\x20\x21\x23-\x5B\x5D-\x7E]/g

/** A challenge of `WWW-Authenticate`: RFC 6750 §3, RFC 9449 §7.1. What is `undefined` is left out. */
export function formatChallenge(
  scheme: 'Bearer' | 'DPoP',
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  return `${scheme} ${Object.entries(parameters)
    .flatMap(([name, value]) =>
      value === undefined ? [] : `${name}="${value.replaceAll(NOT_PRINTABLE, '?')}"`,
    )
    .join(', ')}`
}
