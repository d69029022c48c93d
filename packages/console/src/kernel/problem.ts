/** The options of a {@link Problem}. */
export interface ProblemOptions extends ErrorOptions {
  /** Seconds until the next attempt. */
  readonly retryAfter?: number | undefined
  /** More members of the answer. A customer does not get them: they can have what an operator wrote. */
  readonly more?: object | undefined
}

/**
 * A request that is refused, or that cannot be done now. Over HTTP it is answered as
 * `{"error", "error_description"}`.
 */
export class Problem extends Error {
  override readonly name: string = 'Problem'
  readonly statusCode: number
  /** The `error` of the answer. */
  readonly error: string
  readonly retryAfter: number | undefined
  readonly more: object | undefined

  /** @param description for the caller, without secrets; the `cause` is for the log */
  constructor(
    statusCode: number,
    error: string,
    description: string,
    { retryAfter, more, ...options }: ProblemOptions = {},
  ) {
    super(description, options)
    this.statusCode = statusCode
    this.error = error
    this.retryAfter = retryAfter
    this.more = more
  }
}

/** An error of the request. */
export function invalid(description: string): Problem {
  return new Problem(400, 'invalid_request', description)
}

/** Something that this process needs fails. It never reads as *not found*, and the log has the cause. */
export function unavailable(description: string, cause: unknown): Problem {
  return new Problem(503, 'temporarily_unavailable', description, { cause, retryAfter: 5 })
}
