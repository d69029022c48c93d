import { present } from 'oidc-provider-impersonation-verify/format'
import { DomainError } from '../kernel/domain-error.ts'
import type { Permit } from './record-at.ts'

type Code =
  | 'access_denied'
  | 'already_requested'
  | 'decided'
  | 'invalid_request'
  | 'no_approver'
  | 'not_found'
  | 'not_needed'
  | 'stopped'
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
  stopped: 403,
  refused_lately: 409,
  review_due: 409,
  temporarily_unavailable: 503,
}

/** What was asked of a permit is refused, or could not be stored: nothing was changed. */
export class PermitError extends DomainError {
  override readonly name = 'PermitError'
  override readonly error: Code
  override readonly statusCode: number
  /** The permit that stands in the way, as it is now. */
  readonly permit: Permit | undefined
  override readonly retryAfter: number | undefined

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

  override more(isForStaff: boolean): object {
    return present({ permit: isForStaff ? this.permit : undefined, retryAfter: this.retryAfter })
  }
}
