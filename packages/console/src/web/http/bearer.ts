import type { Context } from 'koa'
import { limitTime } from 'oidc-provider-impersonation/siblings'
import { orUnavailable, Problem } from './problem.ts'

/**
 * Reads the bearer token of a request. RFC 6750 §2.1.
 *
 * @throws Problem 401 when the token is missing or malformed
 */
export function bearerToken(ctx: Context): string {
  const authorization = ctx.get('Authorization')
  if (!/^bearer(?: |$)/i.test(authorization)) throw unauthorized('no access token provided')
  const token = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1]
  if (token === undefined) throw unauthorized('malformed access token')
  return token
}

/** The timeout of a look-up, in milliseconds. A person waits for each answer, also for a no. */
const LOOK_UP_TIMEOUT_MS = 2000

/**
 * Finds whose access token this is.
 *
 * @param lookUp returns as a text why the token is not valid here
 * @throws Problem 401 if the token is not valid here; 503 if that cannot be known within
 * two seconds
 */
export async function judgeToken<T extends object>(
  unavailable: string,
  lookUp: () => Promise<T | string>,
): Promise<T> {
  const found = await orUnavailable(unavailable, () =>
    limitTime(LOOK_UP_TIMEOUT_MS, lookUp(), () => new Error('no answer in two seconds')),
  )
  if (typeof found !== 'string') return found
  throw unauthorized('the access token is not valid here', new Error(`access token: ${found}`))
}

function unauthorized(description: string, cause?: Error): Problem {
  return new Problem(401, 'invalid_token', description, { cause })
}
