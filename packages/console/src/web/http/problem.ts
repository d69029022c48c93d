import type { Context, Middleware } from 'koa'
import { escapeControls, reasonOf } from 'oidc-provider-impersonation-verify/format'
import { DomainError } from '../../kernel/domain-error.ts'
import { isMalformedCursor } from '../../ledger/stores/cursor.ts'

/** An error answer: `{"error", "error_description"}`. */
export class Problem extends Error {
  override name = 'Problem'
  readonly statusCode: number
  /** The `error` of the answer. */
  readonly error: string
  /** Seconds until the next attempt: the header `Retry-After`. */
  readonly retryAfter: number | undefined
  /** More members of the answer. */
  readonly more: object | undefined

  /** @param description for the caller, without secrets; the `cause` is for the log */
  constructor(
    statusCode: number,
    error: string,
    description: string,
    options: ErrorOptions & { retryAfter?: number | undefined; more?: object } = {},
  ) {
    super(description, options)
    this.statusCode = statusCode
    this.error = error
    this.retryAfter = options.retryAfter
    this.more = options.more
  }
}

/** A problem with the bearer token. RFC 6750 §3.1. */
export class BearerProblem extends Problem {
  /** `true` if the request has a bearer token. */
  readonly presented: boolean

  constructor(kind: 'absent' | 'invalid_token', description: string, options?: ErrorOptions) {
    super(401, 'invalid_token', description, options)
    this.presented = kind !== 'absent'
  }
}

/** The person who signed in is none of the support. */
export class NoRoleProblem extends Problem {
  constructor() {
    super(403, 'access_denied', 'only support staff may use the console')
  }
}

/** An error of the request. */
export function invalid(description: string): Problem {
  return new Problem(400, 'invalid_request', description)
}

export function notFound(description: string): Problem {
  return new Problem(404, 'not_found', description)
}

/** Something that this process needs fails: the log says what. */
export function unavailable(description: string, cause: unknown): Problem {
  return new Problem(503, 'temporarily_unavailable', description, { cause, retryAfter: 5 })
}

/** Resolves with the result of the work. An error becomes {@link unavailable}, unless it is a problem already. */
export async function orUnavailable<T>(
  description: string,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    const isKnown = cause instanceof Problem || cause instanceof DomainError
    throw isKnown || isMalformedCursor(cause) ? cause : unavailable(description, cause)
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

/**
 * The problem that the caller is told of.
 *
 * @param isForStaff whether the answer may have what an operator wrote
 */
export function problemOf(error: unknown, isForStaff: boolean): Problem {
  if (error instanceof Problem) return error
  if (isMalformedCursor(error)) return invalid('the cursor is malformed')
  if (!(error instanceof DomainError)) {
    return new Problem(500, 'server_error', 'something went wrong', { cause: error })
  }
  const { statusCode, error: code, message, retryAfter, cause } = error
  return new Problem(statusCode, code, message, {
    ...(cause === undefined ? {} : { cause }),
    more: error.more(isForStaff),
    retryAfter,
  })
}

/**
 * Answers problems and the errors of the domain as JSON. Every other error becomes a 500 without details.
 *
 * @param isForStaff whether the answer may have what an operator wrote
 */
export function answerProblems(realm: string, isForStaff = true): Middleware {
  return async (ctx, next) => {
    ctx.set('Cache-Control', 'no-store')
    try {
      await next()
    } catch (error) {
      answerProblem(ctx, realm, problemOf(error, isForStaff))
    }
  }
}

/** Refuses all other methods before any other check. RFC 9110 §15.5.6. */
export function onlyMethods(...allowed: readonly string[]): Middleware {
  return async (ctx, next) => {
    if (allowed.includes(ctx.method)) return next()
    ctx.set('Allow', allowed.join(', '))
    throw new Problem(405, 'invalid_request', `only ${allowed[0]} is allowed here`)
  }
}

/** Checks whether an administrator must look at the problem. A 503 without a cause is only a limit. */
function isTrouble({ statusCode, cause }: Problem): boolean {
  return statusCode >= 500 && (statusCode !== 503 || cause !== undefined)
}

/** One line, and the stack of what is a mistake in the code. */
function logProblem({ method, path }: Context, problem: Problem): void {
  const line = escapeControls(`support console: ${method} ${path}: ${reasonOf(problem)}`)
  if (problem.statusCode === 500) console.error(line, problem.cause)
  else console.error(line)
}

/** Answers a problem as JSON. The log has what an administrator must look at. */
export function answerProblem(ctx: Context, realm: string, problem: Problem): void {
  if (isTrouble(problem)) logProblem(ctx, problem)
  ctx.status = problem.statusCode
  ctx.body = { error: problem.error, error_description: problem.message, ...problem.more }
  if (problem.retryAfter !== undefined) ctx.set('Retry-After', String(problem.retryAfter))
  if (!(problem instanceof BearerProblem)) return
  // RFC 6750 §3.1: without authentication information, "the resource server SHOULD NOT include an
  // error code or other error information".
  const details = problem.presented
    ? `, error="${problem.error}", error_description="${problem.message}"`
    : ''
  ctx.set('WWW-Authenticate', `Bearer realm="${realm}"${details}`)
}
