import type { Context } from 'koa'
import { Problem } from '../http/problem.ts'

/** Where a cookie of a page goes. */
export interface CookiePlace {
  readonly name: string
  /** The path that it is sent to. */
  readonly path: string
  /** Whether the public address of the page is https. The socket does not tell, behind a proxy. */
  readonly isSecure: boolean
}

/** A cookie of a client of ours. Each client has its own. */
export function cookiePlace(clientId: string, url: string, path: string): CookiePlace {
  const isSecure = url.startsWith('https:')
  // RFC 6265bis §4.1.3.1: with this prefix, no page without https can set it.
  return { name: `${isSecure ? '__Secure-' : ''}${encodeURIComponent(clientId)}`, path, isSecure }
}

/**
 * Reads a cookie.
 *
 * @throws Problem 400 for two of one name: a page of a sibling domain can plant one
 */
export function readCookie(ctx: Context, name: string): string | undefined {
  const found = ctx
    .get('Cookie')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
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
  { name, path, isSecure }: CookiePlace,
  value: string,
  maxAge: number,
): void {
  const attributes = [`Path=${path}`, `Max-Age=${maxAge}`, 'HttpOnly', 'SameSite=Lax']
  if (isSecure) attributes.push('Secure')
  ctx.append('Set-Cookie', [`${name}=${value}`, ...attributes].join('; '))
}
