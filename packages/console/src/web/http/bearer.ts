import type { Context } from 'koa'
import { limitTime } from 'oidc-provider-impersonation/siblings'
import { BearerProblem, orUnavailable } from './problem.ts'

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

/** The timeout of a look-up, in milliseconds. A person waits for each answer, also for a no. */
const LOOK_UP_TIMEOUT_MS = 2000

/**
 * Finds whose access token this is.
 *
 * @param lookUp returns as a text why the token is not valid here
 * @throws BearerProblem if the token is not valid here; Problem 503 if that cannot be known within
 * two seconds
 */
export async function judgeToken<T extends object>(
  token: string,
  unavailable: string,
  lookUp: (token: string) => Promise<T | string>,
): Promise<T> {
  const found = await orUnavailable(unavailable, () =>
    limitTime(LOOK_UP_TIMEOUT_MS, lookUp(token), () => new Error('no answer in two seconds')),
  )
  if (typeof found !== 'string') return found
  throw new BearerProblem('invalid_token', 'the access token is not valid here', {
    cause: new Error(`access token: ${found}`),
  })
}
