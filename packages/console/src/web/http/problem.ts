import type { Context } from 'koa'
import { escapeControls, reasonOf } from 'oidc-provider-impersonation-verify/format'
import { Problem, unavailable } from '../../kernel/problem.ts'

export { invalid, Problem } from '../../kernel/problem.ts'

/** The person who signed in is none of the support. */
export class NoRoleProblem extends Problem {
  constructor() {
    super(403, 'access_denied', 'only support staff may use the console')
  }
}

export function notFound(description: string): Problem {
  return new Problem(404, 'not_found', description)
}

/** Resolves with the result of the work. An error becomes {@link unavailable}, unless it is a problem already. */
export async function orUnavailable<T>(
  description: string,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw cause instanceof Problem ? cause : unavailable(description, cause)
  }
}

/** Storage of the provider that fails is trouble, and never reads as *not found*. */
export function askProvider<T>(ask: () => Promise<T>): Promise<T> {
  return orUnavailable('the provider cannot look up impersonations now', ask)
}

/** This process takes no more at the moment. @param retryAfter seconds */
export function busy(description: string, retryAfter = 5): Problem {
  return new Problem(503, 'temporarily_unavailable', description, { retryAfter })
}

/** The problem that the caller is told of. Every other error becomes a 500 without details. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem(500, 'server_error', 'something went wrong', { cause: error })
}

/** Refuses all other methods. RFC 9110 §15.5.6. */
export function assertMethod(ctx: Context, ...allowed: readonly string[]): void {
  if (allowed.includes(ctx.method)) return
  ctx.set('Allow', allowed.join(', '))
  throw new Problem(405, 'invalid_request', `only ${allowed[0]} is allowed here`)
}

/** Writes a line about a request to stderr. @param more the stack of a mistake in the code */
export function logTrouble({ method, path }: Context, what: string, ...more: unknown[]): void {
  console.error(escapeControls(`support console: ${method} ${path}: ${what}`), ...more)
}

/** Answers a problem as JSON. The log has what an administrator must look at. */
export function answerProblem(
  ctx: Context,
  { realm, isForStaff }: { readonly realm: string; readonly isForStaff: boolean },
  problem: Problem,
): void {
  const { cause, error, message, more, retryAfter, statusCode } = problem
  // An administrator must look at it. A 503 without a cause is only a limit.
  if (statusCode === 500) logTrouble(ctx, reasonOf(problem), cause)
  else if (statusCode > 500 && cause !== undefined) logTrouble(ctx, reasonOf(problem))
  ctx.status = statusCode
  ctx.body = { error, error_description: message, ...(isForStaff && more) }
  if (retryAfter !== undefined) ctx.set('Retry-After', String(retryAfter))
  if (statusCode !== 401) return
  // RFC 6750 §3.1: without authentication information, "the resource server SHOULD NOT include an
  // error code or other error information".
  const isPresented = /^bearer(?: |$)/i.test(ctx.get('Authorization'))
  const details = isPresented ? `, error="${error}", error_description="${message}"` : ''
  ctx.set('WWW-Authenticate', `Bearer realm="${realm}"${details}`)
}
