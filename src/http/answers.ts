import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { dpopAlgorithms, emitSafely } from '../host/instance.ts'
import { publicError } from '../impersonations/audited.ts'
import { isChallenged, isPublic, NoCredentials, statusOf } from '../shared/errors.ts'
import { present } from '../shared/json.ts'
import { parseAuthorization } from '../shared/sender.ts'
import { printable } from '../shared/text.ts'

/** Koa middleware of a route of this package. */
export type Step = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>

/**
 * Sends every error as `{"error", "error_description"}`. An error is a 500 unless it is certainly
 * the caller's fault. A failure is never "not found" (I5), and never a yes.
 */
export const answerErrors: Step = async (ctx, next) => {
  ctx.set('Cache-Control', 'no-store')
  try {
    await next()
  } catch (thrown) {
    const error = publicError(thrown)
    ctx.set('Cache-Control', 'no-store')
    // Set for an impersonation that was issued, and could not be recorded.
    ctx.remove('Location')
    if (isPublic(error)) return sendError(ctx, error)
    ctx.status = 500
    ctx.body = { error: 'server_error', error_description: 'oops! something went wrong' }
    emitSafely(ctx.oidc.provider, 'server_error', ctx, error)
  }
}

function sendError(ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): void {
  ctx.status = statusOf(error)
  ctx.body = {
    error: error.error,
    error_description: error.error_description,
    approval: 'approval' in error ? error.approval : undefined,
  }
  if ('retryAfter' in error) ctx.set('Retry-After', String(error.retryAfter))
  if (isChallenged(error)) challenge(ctx, error)
}

/** Sets the challenges. RFC 6750 §3, RFC 9449 §7.1. */
function challenge(ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): void {
  const { provider } = ctx.oidc
  const algs = dpopAlgorithms(provider)?.join(' ')
  const usesDpop = algs && parseAuthorization(ctx.get('Authorization'))?.scheme === 'dpop'
  // §3.1: without authentication information, "the resource server SHOULD NOT include an error
  // code or other error information".
  const isBare = error instanceof NoCredentials
  for (const scheme of isBare && algs ? ['Bearer', 'DPoP'] : [usesDpop ? 'DPoP' : 'Bearer']) {
    const parameters = {
      realm: provider.issuer,
      error: isBare ? undefined : error.error,
      error_description: isBare ? undefined : error.error_description,
      scope: 'scope' in error ? String(error.scope) : undefined,
      algs: scheme === 'DPoP' ? algs : undefined,
    }
    const texts = Object.entries(present(parameters)).map(
      ([name, value]) => `${name}="${printable(value)}"`,
    )
    ctx.append('WWW-Authenticate', `${scheme} ${texts.join(', ')}`)
  }
}

/**
 * Refuses all methods but these. OPTIONS is a preflight, to which the CORS of the route responds.
 *
 * @throws errors.InvalidRequest with status 405
 */
export function only(...methods: readonly [string, ...string[]]): Step {
  return async (ctx, next) => {
    if (ctx.method !== 'OPTIONS' && methods.includes(ctx.method)) return next()
    ctx.set('Allow', methods.join(', '))
    throw new errors.InvalidRequest(`only ${methods[0]} is allowed here`, 405)
  }
}

/** Handles CORS unless the host application has set its headers already, as the provider does. */
export const openCors: Step = async (ctx, next) => {
  if (!Object.keys(ctx.response.headers).some((name) => /^access-control-/i.test(name))) {
    ctx.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'ETag' })
  }
  if (ctx.method !== 'OPTIONS') return next()
  ctx.status = 204
  ctx.set({
    Allow: 'GET, HEAD, OPTIONS',
    'Access-Control-Allow-Methods': 'GET, HEAD',
    'Access-Control-Allow-Headers': '*',
    // In seconds, as for the provider's own.
    'Access-Control-Max-Age': '3600',
  })
}
