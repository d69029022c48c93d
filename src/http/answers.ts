import type { Context } from 'koa'
import { errors, type Provider } from 'oidc-provider'
import { dpopAlgorithms } from '../host/provider-configuration.ts'
import { InvalidInput } from '../impersonations/inputs.ts'
import { formatChallenge } from '../shared/challenge.ts'
import { isChallenged, isPublic, NoCredentials, statusOf } from '../shared/errors.ts'
import { AccessTokenRejected } from '../tokens/jwt-access-token.ts'

/** What the caller gets of an error: which member is wrong, and never why a token is not accepted. */
export function publicError(error: unknown): unknown {
  if (error instanceof AccessTokenRejected) return new errors.InvalidToken({ cause: error })
  if (error instanceof InvalidInput) return new errors.InvalidRequest(error.message)
  return error
}

/**
 * Answers every error as `{"error", "error_description"}`. An error is a 500 unless it is known to be the
 * caller's fault: what fails is never "not found" (I5), and never a yes (I9).
 */
export async function answerErrors(
  provider: Provider,
  ctx: Context,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run()
  } catch (error) {
    if (!isPublic(error)) {
      ctx.status = 500
      ctx.body = { error: 'server_error', error_description: 'oops! something went wrong' }
      ctx.set('Cache-Control', 'no-store')
      try {
        provider.emit('server_error', ctx, error)
      } catch {
        // A failing listener does not change the answer.
      }
      return
    }
    ctx.status = statusOf(error)
    ctx.body = {
      error: error.error,
      ...(error.error_description ? { error_description: error.error_description } : {}),
      ...('approval' in error ? { approval: error.approval } : {}),
    }
    if ('retryAfter' in error) ctx.set('Retry-After', String(error.retryAfter))
    if (isChallenged(error)) challenge(ctx, provider, error)
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
