import { printable } from './printable.ts'

/** A challenge of `WWW-Authenticate`: RFC 6750 §3, RFC 9449 §7.1. What is `undefined` is left out. */
export function formatChallenge(
  scheme: 'Bearer' | 'DPoP',
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  return `${scheme} ${Object.entries(parameters)
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}="${printable(value)}"`))
    .join(', ')}`
}
