import type { Context, Next } from 'koa'
import { errors, type Provider } from 'oidc-provider'
import { NotRecorded, RecorderNotReady } from '../events/recorders.ts'
import { dpopAlgorithms } from '../host/provider-configuration.ts'
import { ApprovalRequired } from '../policy/approval.ts'
import { TooManyRequests } from '../policy/rate-limit.ts'
import { formatChallenge } from '../shared/challenge.ts'
import { NoCredentials } from './bearer.ts'

/** The user to be impersonated does not exist. */
export class UserNotFound extends errors.OIDCProviderError {
  override error_description = 'no such user'

  constructor() {
    super(404, 'user_not_found')
  }
}

/** There is no such impersonation, or its record has expired. */
export class NotFound extends errors.OIDCProviderError {
  override error_description = 'no such impersonation'

  constructor() {
    super(404, 'not_found')
  }
}

/** The client that `issue()` is called for may not issue. */
export class ClientNotNamed extends errors.UnauthorizedClient {
  override error_description =
    'the client must exist, authenticate, have the grant client_credentials, and be named by managementApi.clients.issue'
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

/** The error that the caller gets. */
export function publicCode(error: unknown): string {
  return isPublic(error) ? error.error : 'server_error'
}

function isPublic(error: unknown): error is errors.OIDCProviderError {
  return error instanceof errors.OIDCProviderError && isOneOf(PUBLIC_ERRORS, error)
}

/** The status of errors that have another one elsewhere: nothing is wrong with the request here. */
export function statusOf(error: errors.OIDCProviderError): number {
  if (error instanceof errors.AccessDenied) return 403
  if (error instanceof errors.InvalidDpopProof || error instanceof errors.UseDpopNonce) return 401
  return error.statusCode
}

/**
 * Answers every error as `{"error", "error_description"}`. I5, I9: an error becomes a 500 unless it
 * is known to be the caller's fault.
 */
export function answerErrors(provider: Provider) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next()
    } catch (error) {
      if (isPublic(error)) {
        ctx.status = statusOf(error)
        ctx.body = {
          error: error.error,
          ...(error.error_description ? { error_description: error.error_description } : {}),
          ...('approval' in error ? { approval: error.approval } : {}),
        }
        if ('retryAfter' in error) ctx.set('Retry-After', String(error.retryAfter))
        if (isOneOf(CHALLENGED_ERRORS, error)) challenge(ctx, provider, error)
        return
      }
      ctx.status = 500
      ctx.body = { error: 'server_error', error_description: 'oops! something went wrong' }
      try {
        provider.emit('server_error', ctx, error)
      } catch {
        // A failing listener does not change the answer.
      }
    }
  }
}

/** RFC 6750 §3, RFC 9449 §7.1. */
function challenge(ctx: Context, provider: Provider, error: errors.OIDCProviderError): void {
  const realm = provider.issuer
  const algs = dpopAlgorithms(provider)?.join(' ')
  // §3.1: without authentication information, "the resource server SHOULD NOT include an error
  // code or other error information".
  if (error instanceof NoCredentials) {
    ctx.append('WWW-Authenticate', formatChallenge('Bearer', { realm }))
    if (algs) ctx.append('WWW-Authenticate', formatChallenge('DPoP', { realm, algs }))
    return
  }
  const dpop = algs !== undefined && /^dpop /i.test(ctx.get('Authorization'))
  const fields = {
    realm,
    error: error.error,
    error_description: error.error_description,
    scope: 'scope' in error ? String(error.scope) : undefined,
  }
  ctx.set(
    'WWW-Authenticate',
    dpop ? formatChallenge('DPoP', { ...fields, algs }) : formatChallenge('Bearer', fields),
  )
}

function isOneOf(kinds: readonly ErrorClass[], error: unknown): boolean {
  return kinds.some((kind) => error instanceof kind)
}
