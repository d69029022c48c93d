import { errors } from 'oidc-provider'
import { isPlainObject } from '../glue/plain-object.ts'
import type { AuthorizationRequest, Authorize } from '../public/policy-hook.ts'
import { watchEventLoopTurn } from '../shared/event-loop-turn.ts'
import { joinScopes } from '../shared/scope.ts'

const OPTION_PATH = 'features.impersonation.authorize'
const LIMIT_NAMES: readonly string[] = ['scope', 'accessTokenTtl']

/** What the deployment's rule allows of a request: all that was asked for, or less. */
export interface Permission {
  readonly scope: string | undefined
  /** Seconds; `undefined` where the rule sets no limit of its own. */
  readonly accessTokenTtl: number | undefined
  /**
   * Whether the rule took more than the turn of the event loop in which it was asked. Data that was
   * looked up before may have changed since: a rule can wait for the decision of a person.
   */
  readonly tookTime: boolean
}

/**
 * Asks the deployment's rule.
 *
 * @throws errors.AccessDenied where it refuses
 * @throws Error where it fails or answers anything else (I9: nothing is issued then)
 */
export function permissionFor(
  authorize: Authorize | undefined,
  request: AuthorizationRequest,
): Promise<Permission> | Permission {
  if (authorize) return askAuthorize(authorize, request)
  return { scope: request.scope, accessTokenTtl: undefined, tookTime: false }
}

async function askAuthorize(
  authorize: Authorize,
  request: AuthorizationRequest,
): Promise<Permission> {
  const { scope: asked } = request
  let verdict: unknown
  const eventLoopTurnIsOver = watchEventLoopTurn()
  try {
    verdict = await authorize(Object.freeze(request))
  } catch (cause) {
    // If the rule throws, even an error of the protocol, the request is not permitted.
    throw new Error(`${OPTION_PATH} failed at the stage ${request.stage}`, { cause })
  }
  const tookTime = eventLoopTurnIsOver()
  if (verdict === true) return { scope: asked, accessTokenTtl: undefined, tookTime }
  if (verdict === false) throw new errors.AccessDenied('refused by policy')
  const limits = isPlainObject(verdict) ? Object.entries(verdict) : []
  // Refuse unknown names: a mistyped name would otherwise mean "no limit".
  if (limits.length === 0 || limits.some(([name]) => !LIMIT_NAMES.includes(name))) {
    throw new TypeError(
      `${OPTION_PATH} must answer true, false or an object of nothing but ${LIMIT_NAMES.join(', ')}`,
    )
  }
  const members = new Map<string, unknown>(limits)
  return {
    scope: members.has('scope') ? narrowed(request, members.get('scope')) : asked,
    accessTokenTtl: members.has('accessTokenTtl') ? ttl(members.get('accessTokenTtl')) : undefined,
    tookTime,
  }
}

function narrowed({ stage, scope }: AuthorizationRequest, limit: unknown): string | undefined {
  if (typeof limit !== 'string') throw new TypeError(`${OPTION_PATH}: scope must be a string`)
  const allowed = [...new Set(limit.split(' ').filter((name) => name !== ''))]
  const asked = scope === undefined ? undefined : new Set(scope.split(' '))
  // At issue, no scope means no limit, which any limit narrows. At the exchange it means none.
  const widened =
    asked === undefined && stage === 'issue' ? [] : allowed.filter((name) => !asked?.has(name))
  if (widened.length > 0) {
    throw new TypeError(`${OPTION_PATH} must not allow scopes that were not asked for`)
  }
  // At issue, the empty string means that no scope may ever be granted; `undefined` means no limit.
  return stage === 'issue' ? allowed.join(' ') : joinScopes(allowed)
}

function ttl(limit: unknown): number {
  if (typeof limit === 'number' && Number.isSafeInteger(limit) && limit > 0) return limit
  throw new TypeError(`${OPTION_PATH}: accessTokenTtl must be a positive integer: seconds`)
}
