import { errors } from 'oidc-provider'
import { scopeOf } from './binding.ts'
import { isPlainObject } from './options-validation.ts'
import type { AuthorizationRequest, Authorize } from './policy-hook.ts'

const OPTION = 'features.impersonation.authorize'

/**
 * Asks the deployment's rule and answers the scope that is left: what was asked for, or less.
 *
 * @throws errors.AccessDenied where it refuses
 * @throws Error where it fails or answers anything else (I9: nothing is issued then)
 */
export async function scopeAllowedBy(
  authorize: Authorize | undefined,
  request: AuthorizationRequest,
): Promise<string | undefined> {
  if (!authorize) return request.scope
  let verdict: unknown
  try {
    verdict = await authorize(Object.freeze(request))
  } catch (cause) {
    // Whatever it threw, an error of the protocol or not: no answer is no permission.
    throw new Error(`${OPTION} failed at the stage ${request.stage}`, { cause })
  }
  if (verdict === true) return request.scope
  if (verdict === false) throw new errors.AccessDenied('refused by policy')
  if (!isPlainObject(verdict) || typeof verdict.scope !== 'string') {
    throw new TypeError(`${OPTION} must answer true, false or { scope }`)
  }
  const allowed = [...new Set(verdict.scope.split(' ').filter((scope) => scope !== ''))]
  const asked = request.scope === undefined ? undefined : new Set(request.scope.split(' '))
  // At issue, no scope means no limit, which any limit narrows. At the exchange it means none.
  const widened =
    asked === undefined && request.stage === 'issue'
      ? []
      : allowed.filter((scope) => !asked?.has(scope))
  if (widened.length > 0) {
    throw new TypeError(`${OPTION} must not allow scopes that were not asked for`)
  }
  // At issue the empty scope says that nothing may ever be granted, and none that there is no limit.
  return request.stage === 'issue' ? allowed.join(' ') : scopeOf(allowed)
}
