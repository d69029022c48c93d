import { present } from 'oidc-provider-impersonation-verify/format'
import { DomainError } from '../kernel/domain-error.ts'
import type { Permit } from './record-at.ts'

const STATUS_CODES = {
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
} as const

type Code = keyof typeof STATUS_CODES

/** A refusal, or a storage that fails: nothing was changed. */
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

export const noSuchRecord = () => new PermitError('not_found', 'there is no such record')

/** A record that cannot be read allows nothing, and nothing is decided. */
export const permitsUnreadable = (cause: unknown) =>
  new PermitError('temporarily_unavailable', 'permits cannot be read: nothing was done', { cause })
