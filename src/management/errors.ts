import type { Context, Next } from 'koa'
import { errors, type Provider } from 'oidc-provider'
import { NoCredentials } from './bearer.ts'

/** The user to be impersonated does not exist. */
export class UserNotFound extends errors.OIDCProviderError {
  override error_description = 'no such user'

  constructor() {
    super(404, 'user_not_found')
  }
}

/** Errors that say something to the caller. Whatever else is thrown is trouble on this side. */
const PUBLIC = [
  errors.InvalidToken,
  errors.InsufficientScope,
  errors.InvalidRequest,
  errors.AccessDenied,
  UserNotFound,
]

/**
 * Answers every error as `{"error", "error_description"}`. I5, I9: an error that is not known to
 * be the caller's is a 500, whatever it looks like.
 */
export function answerErrors(provider: Provider) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next()
    } catch (error) {
      if (
        error instanceof errors.OIDCProviderError &&
        PUBLIC.some((kind) => error instanceof kind)
      ) {
        // 400 at the token endpoint, but nothing is wrong with the request here.
        ctx.status = error instanceof errors.AccessDenied ? 403 : error.statusCode
        ctx.body = {
          error: error.error,
          ...(error.error_description ? { error_description: error.error_description } : {}),
        }
        challenge(ctx, provider.issuer, error)
        return
      }
      ctx.status = 500
      ctx.body = { error: 'server_error', error_description: 'oops! something went wrong' }
      try {
        provider.emit('server_error', ctx, error)
      } catch {
        // A listener's trouble is not the caller's: the answer stands.
      }
    }
  }
}

/** RFC 6750 §3. */
function challenge(ctx: Context, realm: string, error: errors.OIDCProviderError): void {
  if (!(error instanceof errors.InvalidToken || error instanceof errors.InsufficientScope)) return
  // §3.1: without authentication information, "the resource server SHOULD NOT include an error
  // code or other error information".
  const parameters: Record<string, string | undefined> =
    error instanceof NoCredentials
      ? { realm }
      : {
          realm,
          error: error.error,
          error_description: error.error_description,
          scope: 'scope' in error ? String(error.scope) : undefined,
        }
  ctx.set(
    'WWW-Authenticate',
    `Bearer ${Object.entries(parameters)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `${name}="${value}"`)
      .join(', ')}`,
  )
}
