import type { Context } from 'koa'
import { Problem } from '../http/problem.ts'

/** A cookie of a page. It is sent to the whole origin. */
export interface CookiePlace {
  readonly name: string
  /** `true` if the public address of the page is https. Behind a proxy, the socket does not show it. */
  readonly isSecure: boolean
}

/**
 * A cookie of a client of ours. Each client has its own.
 *
 * Over https no page of a sibling domain can plant it: with this prefix, a browser takes a cookie
 * from its own host alone, and only for all paths.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6265bis §4.1.3.2
 */
export function cookiePlace(clientId: string, url: string): CookiePlace {
  const isSecure = url.startsWith('https:')
  return { name: `${isSecure ? '__Host-' : ''}${encodeURIComponent(clientId)}`, isSecure }
}

function cookiesOf(ctx: Context): string[] {
  return ctx
    .get('Cookie')
    .split(';')
    .map((pair) => pair.trim())
}

/** The names of the cookies that begin so, without the newest of so many characters. */
export function oldCookies(ctx: Context, prefix: string, most: number): string[] {
  let length = 0
  return cookiesOf(ctx)
    .filter((pair) => pair.startsWith(prefix))
    .toReversed()
    .flatMap((pair) => {
      length += pair.length
      return length > most ? (pair.split('=', 1)[0] ?? []) : []
    })
}

/**
 * Reads a cookie.
 *
 * @throws Problem 400 for two of one name: over http, a page of a sibling domain can plant one
 */
export function readCookie(ctx: Context, name: string): string | undefined {
  const found = cookiesOf(ctx).filter((pair) => pair.startsWith(`${name}=`))
  if (found.length > 1) {
    throw new Problem(
      400,
      'invalid_request',
      'two cookies have one name: delete the cookies of this site',
    )
  }
  return found[0]?.slice(name.length + 1) || undefined
}

/** Writes a cookie that no script can read. @param maxAge seconds; 0 removes the cookie */
export function writeCookie(
  ctx: Context,
  { name, isSecure }: CookiePlace,
  value: string,
  maxAge: number,
): void {
  const attributes = ['Path=/', `Max-Age=${maxAge}`, 'HttpOnly', 'SameSite=Lax']
  if (isSecure) attributes.push('Secure')
  ctx.append('Set-Cookie', [`${name}=${value}`, ...attributes].join('; '))
}
