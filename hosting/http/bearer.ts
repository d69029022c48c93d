import type { Context } from 'koa'
import { BearerProblem } from './problem.ts'

/**
 * Reads the bearer token of a request. RFC 6750 §2.1.
 *
 * @throws BearerProblem when the token is missing or malformed.
 */
export function bearerToken(ctx: Context): string {
  const authorization = ctx.get('Authorization')
  if (!/^bearer(?: |$)/i.test(authorization)) {
    throw new BearerProblem('absent', 'no access token provided')
  }
  const token = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1]
  if (token === undefined) throw new BearerProblem('invalid_token', 'malformed access token')
  return token
}
