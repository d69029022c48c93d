import { present } from 'oidc-provider-impersonation-verify/format'
import { Problem, type ProblemOptions } from '../kernel/problem.ts'
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

export const noSuchRecord = () => new PermitError('not_found', 'there is no such record')

/** A record that cannot be read allows nothing, and nothing is decided. */
export const permitsUnreadable = (cause: unknown) =>
  new PermitError('temporarily_unavailable', 'permits cannot be read: nothing was done', { cause })
