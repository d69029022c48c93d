import { errors } from 'oidc-provider'
import { scopeOf } from './binding.ts'
import { isPlainObject } from './options-validation.ts'
import type { AuthorizationRequest, Authorize } from './policy-hook.ts'

const OPTION = 'features.impersonation.authorize'
const LIMITS: readonly string[] = ['scope', 'accessTokenTtl']

/** What the deployment's rule allows of a request: all that was asked for, or less. */
export interface Permission {
  readonly scope: string | undefined
  /** Seconds; `undefined` where the rule sets no limit of its own. */
  readonly accessTokenTtl: number | undefined
}

/**
 * Asks the deployment's rule.
 *
 * @throws errors.AccessDenied where it refuses
 * @throws Error where it fails or answers anything else (I9: nothing is issued then)
 */
export async function permissionFor(
  authorize: Authorize | undefined,
  request: AuthorizationRequest,
): Promise<Permission> {
  const everything = { scope: request.scope, accessTokenTtl: undefined }
  if (!authorize) return everything
  let verdict: unknown
  try {
    verdict = await authorize(Object.freeze(request))
  } catch (cause) {
    // Whatever it threw, an error of the protocol or not: no answer is no permission.
    throw new Error(`${OPTION} failed at the stage ${request.stage}`, { cause })
  }
  if (verdict === true) return everything
  if (verdict === false) throw new errors.AccessDenied('refused by policy')
  const limits = isPlainObject(verdict) ? Object.entries(verdict) : []
  // A name that is mistyped must not read as no limit.
  if (limits.length === 0 || limits.some(([name]) => !LIMITS.includes(name))) {
    throw new TypeError(
      `${OPTION} must answer true, false or an object of nothing but ${LIMITS.join(', ')}`,
    )
  }
  const members = new Map<string, unknown>(limits)
  return {
    scope: members.has('scope') ? narrowed(request, members.get('scope')) : request.scope,
    accessTokenTtl: members.has('accessTokenTtl') ? ttl(members.get('accessTokenTtl')) : undefined,
  }
}

function narrowed({ stage, scope }: AuthorizationRequest, limit: unknown): string | undefined {
  if (typeof limit !== 'string') throw new TypeError(`${OPTION}: scope must be a string`)
  const allowed = [...new Set(limit.split(' ').filter((name) => name !== ''))]
  const asked = scope === undefined ? undefined : new Set(scope.split(' '))
  // At issue, no scope means no limit, which any limit narrows. At the exchange it means none.
  const widened =
    asked === undefined && stage === 'issue' ? [] : allowed.filter((name) => !asked?.has(name))
  if (widened.length > 0) {
    throw new TypeError(`${OPTION} must not allow scopes that were not asked for`)
  }
  // At issue the empty scope says that nothing may ever be granted, and none that there is no limit.
  return stage === 'issue' ? allowed.join(' ') : scopeOf(allowed)
}

function ttl(limit: unknown): number {
  if (typeof limit === 'number' && Number.isSafeInteger(limit) && limit > 0) return limit
  throw new TypeError(`${OPTION}: accessTokenTtl must be a positive integer: seconds`)
}
