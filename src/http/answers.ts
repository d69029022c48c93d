import type { Context } from 'koa'
import { errors, type Provider } from 'oidc-provider'
import { dpopAlgorithms } from '../host/instance.ts'
import { tokenEndpointCors } from '../host/request.ts'
import { InvalidInput } from '../options/rules.ts'
import { isChallenged, isPublic, NoCredentials, statusOf } from '../shared/errors.ts'
import { parseAuthorization } from '../shared/sender.ts'
import { printable } from '../shared/text.ts'
import { AccessTokenRejected } from '../tokens/access-token.ts'

/**
 * The error as the caller gets it. It names the wrong member, and never the reason why a token is
 * refused.
 */
export function publicError(error: unknown): unknown {
  if (error instanceof AccessTokenRejected) return new errors.InvalidToken({ cause: error })
  if (error instanceof InvalidInput) return new errors.InvalidRequest(error.message)
  return error
}

/**
 * Sends every error as `{"error", "error_description"}`. An error is a 500 unless it is certainly
 * the caller's fault. A failure is never "not found" (I5), and never a yes.
 */
export async function answerErrors(
  provider: Provider,
  ctx: Context,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run()
  } catch (error) {
    // Set for an impersonation that was issued, and could not be recorded.
    ctx.remove('Location')
    if (!isPublic(error)) {
      ctx.status = 500
      ctx.body = { error: 'server_error', error_description: 'oops! something went wrong' }
      ctx.set('Cache-Control', 'no-store')
      try {
        provider.emit('server_error', ctx, error)
      } catch {
        // A failing listener does not change the response.
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

/** Sets the challenge. RFC 6750 §3, RFC 9449 §7.1. */
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
  const dpop = algs !== undefined && parseAuthorization(ctx.get('Authorization'))?.scheme === 'dpop'
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

/**
 * Formats a challenge of `WWW-Authenticate`, without `undefined` members. RFC 6750 §3, RFC 9449
 * §7.1.
 */
function formatChallenge(
  scheme: 'Bearer' | 'DPoP',
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  return `${scheme} ${Object.entries(parameters)
    .flatMap(([name, value]) => (value === undefined ? [] : `${name}="${printable(value)}"`))
    .join(', ')}`
}

/** Selects the pages of other origins that get the response, and responds to preflights. */
export type Cors = (
  provider: Provider,
  ctx: Context,
  method: 'GET' | 'POST',
  next: () => Promise<void>,
) => Promise<void>

/**
 * The time for which a browser may remember a preflight, in seconds, as for the provider's own.
 */
const PREFLIGHT_MAX_AGE = 3600

/** Handles CORS as the token endpoint does, with the deployment's `clientBasedCORS`. */
export const clientCors: Cors = async (provider, ctx, method, next) => {
  await tokenEndpointCors(provider, method)(ctx, next)
}

/** Handles CORS unless the host application has set its headers already, as the provider does. */
export const openCors: Cors = async (_provider, ctx, _method, next) => {
  const names = Object.keys(ctx.response.headers)
  if (!names.some((name) => name.toLowerCase().startsWith('access-control-'))) {
    ctx.set('Access-Control-Allow-Origin', '*')
    ctx.set('Access-Control-Expose-Headers', 'ETag')
  }
  if (ctx.method !== 'OPTIONS') return next()
  ctx.status = 204
  ctx.remove('Cache-Control')
  ctx.set('Allow', 'GET, HEAD, OPTIONS')
  if (ctx.get('Access-Control-Request-Method') === '') return
  ctx.remove('Access-Control-Expose-Headers')
  ctx.set('Access-Control-Allow-Methods', 'GET, HEAD')
  ctx.set('Access-Control-Allow-Headers', '*')
  ctx.set('Access-Control-Max-Age', String(PREFLIGHT_MAX_AGE))
}
