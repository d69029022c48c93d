import type { Permit } from './permit.ts'

type Code =
  | 'access_denied'
  | 'already_requested'
  | 'decided'
  | 'invalid_request'
  | 'no_approver'
  | 'not_found'
  | 'not_needed'
  | 'paused'
  | 'refused_lately'
  | 'review_due'
  | 'temporarily_unavailable'

const STATUS_CODES: Readonly<Record<Code, number>> = {
  access_denied: 403,
  already_requested: 409,
  decided: 409,
  invalid_request: 400,
  no_approver: 409,
  not_found: 404,
  not_needed: 409,
  paused: 403,
  refused_lately: 409,
  review_due: 409,
  temporarily_unavailable: 503,
}

/** What was asked of a permit is refused, or could not be stored: nothing was changed. */
export class PermitError extends Error {
  override readonly name = 'PermitError'
  /** As `error` of an answer over HTTP. */
  readonly error: Code
  /** The status of an answer over HTTP. */
  readonly statusCode: number
  /** The permit that stands in the way, as it is now. */
  readonly permit: Permit | undefined
  /** In how many seconds it can be asked again. */
  readonly retryAfter: number | undefined

  constructor(
    error: Code,
    message: string,
    more: {
      permit?: Permit | undefined
      retryAfter?: number
      cause?: unknown
      /** @defaultValue the one of the code */
      statusCode?: 429
    } = {},
  ) {
    super(message, { cause: more.cause })
    this.error = error
    this.statusCode = more.statusCode ?? STATUS_CODES[error]
    this.permit = more.permit
    this.retryAfter = more.retryAfter
  }
}
