// Every error of this package that a caller may get, and the part of each error that the caller
// sees.
import { errors } from 'oidc-provider'
import type { Need } from '../public/hooks.ts'

/** The request has no credentials of a known scheme. RFC 6750 §3.1. */
export class NoCredentials extends errors.InvalidToken {
  override error_description = 'no access token provided'
}

/** The user to be impersonated does not exist. */
export class UserNotFound extends errors.OIDCProviderError {
  override error_description = 'no such user'

  constructor() {
    super(404, 'user_not_found')
  }
}

/** There is no such impersonation, or its record has expired; or no such status list. */
export class NotFound extends errors.OIDCProviderError {
  override error_description: string

  constructor(description = 'no such impersonation') {
    super(404, 'not_found')
    this.error_description = description
  }
}

/** The client that `issue()` is called for may not issue. */
export class ClientNotNamed extends errors.UnauthorizedClient {
  override error_description =
    'the client must exist, authenticate, have the grant client_credentials, and be named by managementApi.clients.issue'
}

/** RFC 9110 §10.2.3: the header is a number of digits. */
const MAX_RETRY_AFTER = 2 ** 31

/**
 * Too many requests, 429 with `Retry-After`. RFC 6585 §4. `authorize` may throw it at both stages.
 */
export class TooManyRequests extends errors.OIDCProviderError {
  override error_description = 'too many requests: try again later'
  /** Whole seconds until the next attempt, from 1 to 2^31: the header `Retry-After`. */
  readonly retryAfter: number

  /** @param retryAfter in seconds; a fraction is rounded up */
  constructor(retryAfter: number) {
    super(429, 'temporarily_unavailable')
    this.retryAfter = Math.min(Math.max(1, Math.ceil(retryAfter) || 1), MAX_RETRY_AFTER)
  }
}

/**
 * No person acts before the record of it is stored (I13), so the caller gets no token. RFC 9110
 * §15.6.4. It has no `Retry-After`, because a subject token that was redeemed is used up.
 */
export class NotRecorded extends errors.OIDCProviderError {
  override error_description =
    'it could not be audited in time and was revoked; request a new subject token'
  /** Shown to the caller, unlike most errors of 500 and more. */
  override expose = true

  constructor(options: ErrorOptions) {
    super(503, 'temporarily_unavailable', options)
  }
}

/**
 * A recorder takes no events now, so nothing was done. The provider would have to end the
 * impersonation at once, because nothing acts before it is recorded (I13).
 */
export class RecorderNotReady extends errors.OIDCProviderError {
  override error_description = 'nothing was done: try again later'
  /** Shown to the caller, unlike most errors of 500 and more. */
  override expose = true
  /** Seconds until the next attempt: the header `Retry-After`. */
  readonly retryAfter = 5

  constructor(options?: ErrorOptions) {
    super(503, 'temporarily_unavailable', options)
  }
}

const APPROVER_NAMES: Readonly<Record<Need, string>> = {
  second_person: 'a second person',
  user: 'the user',
}

function describe(needs: readonly Need[]): string {
  return `needs the approval of ${needs.map((need) => APPROVER_NAMES[need]).join(' and of ')}`
}

/** At issue: the request needs an approval that does not exist yet. */
export class ApprovalRequired extends errors.OIDCProviderError {
  override error_description: string
  /** The missing approvals, and whether the rule allows an emergency. The response has it, too. */
  readonly approval: { readonly by: readonly Need[]; readonly emergency?: true }
  readonly needs: readonly Need[]

  constructor(needs: readonly Need[], emergency = false, options: ErrorOptions = {}) {
    super(403, 'approval_required', options)
    this.needs = needs
    this.approval = Object.freeze({ by: needs, ...(emergency ? { emergency } : {}) })
    this.error_description = describe(needs)
  }
}

/** At the exchange: the approval that the request needs is over, was revoked, or never existed. */
export class NotApproved extends errors.AccessDenied {
  readonly needs: readonly Need[]

  constructor(needs: readonly Need[], options: ErrorOptions = {}) {
    super(describe(needs), options)
    this.needs = needs
  }
}

type ErrorClass = abstract new (...args: never[]) => errors.OIDCProviderError

/** Errors that ask for credentials, or for better ones. */
const CHALLENGED_ERRORS: readonly ErrorClass[] = [
  errors.InvalidToken,
  errors.InsufficientScope,
  errors.InvalidDpopProof,
  errors.UseDpopNonce,
]

/** Errors that the caller gets as they are. Every other error is a server error. */
const PUBLIC_ERRORS: readonly ErrorClass[] = [
  ...CHALLENGED_ERRORS,
  errors.InvalidRequest,
  errors.AccessDenied,
  ApprovalRequired,
  TooManyRequests,
  UserNotFound,
  NotFound,
  NotRecorded,
  RecorderNotReady,
  ClientNotNamed,
]

const isAmong =
  (kinds: readonly ErrorClass[]) =>
  (error: unknown): error is errors.OIDCProviderError =>
    kinds.some((kind) => error instanceof kind)

export const isPublic = isAmong(PUBLIC_ERRORS)
export const isChallenged = isAmong(CHALLENGED_ERRORS)

/** The error that the caller gets. */
export function publicCode(error: unknown): string {
  return isPublic(error) ? error.error : 'server_error'
}

/**
 * The status of errors that have another one elsewhere: nothing is wrong with the request here.
 */
export function statusOf(error: errors.OIDCProviderError): number {
  if (error instanceof errors.AccessDenied) return 403
  if (error instanceof errors.InvalidDpopProof || error instanceof errors.UseDpopNonce) return 401
  return error.statusCode
}
