import { present } from 'oidc-provider-impersonation-verify/format'
import { Problem, type ProblemOptions } from '../kernel/problem.ts'
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
export class PermitError extends Problem {
  override readonly name = 'PermitError'
  declare readonly error: Code
  /** The permit that stands in the way, as it is now. */
  readonly permit: Permit | undefined

  constructor(
    error: Code,
    message: string,
    {
      permit,
      statusCode = STATUS_CODES[error],
      ...options
    }: ProblemOptions & { permit?: Permit | undefined; statusCode?: number } = {},
  ) {
    super(statusCode, error, message, { ...options, more: present({ permit }) })
    this.permit = permit
  }
}
