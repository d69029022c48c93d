/**
 * White space, backslashes, dot segments, and dots and slashes that are written as `%2e`, `%2f` or
 * `%5c`: two programs may read different paths, or another server, out of these.
 */
const AMBIGUOUS_PATH = /[\s\\]|%(?:2e|2f|5c)|\/\.{1,2}(?:[/?#]|$)/i

/**
 * Makes the test whether a URL lies under the issuer: the same origin, and a path below the
 * issuer's own.
 *
 * @returns a function that answers the parsed URL, and `undefined` for one that lies elsewhere, has
 * a user name or a fragment, or could be read in two ways
 */
export function underIssuer(issuer: string): (url: string) => URL | undefined {
  const base = new URL(issuer)
  const prefix = `${base.pathname.replace(/\/$/, '')}/`
  return (written) => {
    const url = AMBIGUOUS_PATH.test(written) ? null : URL.parse(written)
    if (!url || url.origin !== base.origin || !url.pathname.startsWith(prefix)) return undefined
    // What stands before `@` is no part of the origin.
    if (url.username !== '' || url.password !== '' || written.includes('#')) return undefined
    return url
  }
}
