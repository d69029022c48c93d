import type { Context, Middleware } from 'koa'

/** An error answer: `{"error", "error_description"}`. */
export class Problem extends Error {
  override name = 'Problem'
  readonly status: number
  /** The `error` of the answer. */
  readonly error: string
  /** Seconds until the next attempt: the header `Retry-After`. */
  readonly retryAfter: string | undefined

  /** @param description for the caller, without secrets; the `cause` is for the log */
  constructor(
    status: number,
    error: string,
    description: string,
    options: ErrorOptions & { retryAfter?: string | undefined } = {},
  ) {
    super(description, options)
    this.status = status
    this.error = error
    this.retryAfter = options.retryAfter
  }
}

/** A problem with the bearer token. RFC 6750 §3.1. */
export class BearerProblem extends Problem {
  /** Whether the request has a bearer token. */
  readonly presented: boolean

  constructor(kind: 'absent' | 'invalid_token', description: string, options?: ErrorOptions) {
    super(401, 'invalid_token', description, options)
    this.presented = kind !== 'absent'
  }
}

/** Answers problems as JSON. Every other error becomes a 500 without details. */
export function answerProblems(realm: string): Middleware {
  return async (ctx, next) => {
    ctx.set('Cache-Control', 'no-store')
    try {
      await next()
    } catch (error) {
      const problem = problemOf(error)
      if (isTrouble(problem)) console.error(`${ctx.method} ${ctx.path}:`, problem)
      answer(ctx, realm, problem)
    }
  }
}

/** `recordRefusal` of the console throws a class of its own, with the same members. */
function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (
    error instanceof Error &&
    error.name === 'Problem' &&
    'status' in error &&
    'error' in error &&
    'retryAfter' in error
  ) {
    const retryAfter = error.retryAfter === undefined ? undefined : String(error.retryAfter)
    return new Problem(Number(error.status), String(error.error), error.message, { retryAfter })
  }
  return new Problem(500, 'server_error', 'oops! something went wrong', { cause: error })
}

/** The answer where no other middleware has one. */
export const notFound: Middleware = (ctx) => {
  ctx.status = 404
  ctx.body = { error: 'not_found', error_description: 'there is nothing here' }
}

/** Whether an administrator must look at the problem. A 503 without a cause is only a limit. */
function isTrouble({ status, cause }: Problem): boolean {
  return status >= 500 && (status !== 503 || cause !== undefined)
}

function answer(ctx: Context, realm: string, problem: Problem): void {
  ctx.status = problem.status
  ctx.body = { error: problem.error, error_description: problem.message }
  if (problem.retryAfter !== undefined) ctx.set('Retry-After', problem.retryAfter)
  if (!(problem instanceof BearerProblem)) return
  // RFC 6750 §3.1: without authentication information, "the resource server SHOULD NOT include an
  // error code or other error information".
  const details = problem.presented
    ? `, error="${problem.error}", error_description="${problem.message}"`
    : ''
  ctx.set('WWW-Authenticate', `Bearer realm="${realm}"${details}`)
}
