import type { ImpersonationErrorCode } from './errors.ts'
import type { Link } from './link.ts'
import { oauth } from './oauth.ts'
import type { Operator } from './provider.ts'

/** OpenID Connect Core §3.1.2.6. */
const SIGN_IN_ERRORS: Readonly<Record<string, ImpersonationErrorCode>> = {
  access_denied: 'denied',
  account_selection_required: 'not_signed_in',
  consent_required: 'consent_required',
  interaction_required: 'consent_required',
  login_required: 'not_signed_in',
  server_error: 'unreachable',
  temporarily_unavailable: 'unreachable',
}

/** The codes of a response that does not belong to the request of this tab. */
const FOREIGN_ANSWER_CODES: readonly string[] = [
  oauth.INVALID_RESPONSE,
  oauth.JWT_CLAIM_COMPARISON,
  oauth.JWT_TIMESTAMP_CHECK,
]

/** Returns the reason why the provider did not identify the operator. */
export function signInFailure(error: unknown): ImpersonationErrorCode {
  if (error instanceof oauth.AuthorizationResponseError) {
    return SIGN_IN_ERRORS[error.error] ?? 'misconfigured'
  }
  if (error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant') {
    return 'interrupted'
  }
  if (
    error instanceof oauth.OperationProcessingError &&
    FOREIGN_ANSWER_CODES.includes(String(error.code))
  ) {
    return 'foreign_answer'
  }
  return failure(error)
}

/**
 * Returns the reason why the exchange was refused. The provider does not distinguish the reasons.
 * The hints of the link do, as far as they are true. They choose the message, after the provider
 * has refused.
 */
export function exchangeFailure(
  error: unknown,
  { actor, expires }: Pick<Link, 'actor' | 'expires'>,
  operator: Pick<Operator, 'sub' | 'time'>,
): ImpersonationErrorCode {
  if (!(error instanceof oauth.ResponseBodyError) || isForLater(error)) return failure(error)
  if (actor !== undefined && actor !== operator.sub) return 'other_operator'
  if (expires !== undefined && expires <= operator.time) return 'link_expired'
  if (error.error === 'access_denied') return 'denied'
  return error.error === 'invalid_request' ? 'refused' : failure(error)
}

/** Returns the code for a request that does not concern the operator. */
export function failure(error: unknown): ImpersonationErrorCode {
  if (error instanceof oauth.ResponseBodyError) {
    return isForLater(error) ? 'unreachable' : 'misconfigured'
  }
  // The discovery document of another issuer.
  const isOther =
    error instanceof oauth.OperationProcessingError &&
    error.code === oauth.JSON_ATTRIBUTE_COMPARISON
  return isOther ? 'misconfigured' : 'unreachable'
}

/**
 * Checks whether the provider has judged nothing, because it fails, or had too many requests (RFC
 * 6585 §4).
 */
function isForLater({ status }: oauth.ResponseBodyError): boolean {
  return status >= 500 || status === 429
}
