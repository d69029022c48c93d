import { errors } from 'oidc-provider'
import type { AuthorizationRequest, Authorize, Need, Verdict } from '../public/hooks.ts'
import { ApprovalRequired, NotApproved } from '../shared/errors.ts'
import { knownMembers } from '../shared/json.ts'
import { boundedText } from '../shared/text.ts'

const OPTION_PATH = 'features.impersonation.authorize'

/** What the deployment's rule allows of a request: all that was asked for, or less. */
export interface Permission extends Pick<Limits, 'accessTokenTtl' | 'permit' | 'review'> {
  readonly scope: string | undefined
}

/**
 * Asks the deployment's rule.
 *
 * @throws errors.AccessDenied where it refuses; at the exchange, {@link NotApproved} where it needs an
 * approval that there is not
 * @throws ApprovalRequired at issue, where it needs one
 * @throws Error where it fails or answers anything else (I9: nothing is issued then)
 */
export function permissionFor(
  authorize: Authorize | undefined,
  request: AuthorizationRequest,
): Promise<Permission> | Permission {
  if (authorize) return askAuthorize(authorize, request)
  return { scope: request.scope }
}

async function askAuthorize(
  authorize: Authorize,
  request: AuthorizationRequest,
): Promise<Permission> {
  let verdict: unknown
  try {
    verdict = await authorize(Object.freeze(request))
  } catch (cause) {
    // If the rule throws, even an error of the protocol, the request is not permitted.
    throw new Error(`${OPTION_PATH} failed at the stage ${request.stage}`, { cause })
  }
  const limits = parseVerdict(verdict, request, OPTION_PATH)
  const why = refusalCause(request)
  if (limits === false) throw new errors.AccessDenied('refused by policy', why)
  const { needs, emergency } = limits
  if (needs && request.stage === 'issue') throw new ApprovalRequired(needs, emergency, why)
  if (needs) throw new NotApproved(needs, why)
  // At issue, the empty string means that no scope may ever be granted; `undefined` means no limit.
  const { scope = request.scope } = limits
  const left = request.stage === 'exchange' && scope === '' ? undefined : scope
  return { ...limits, scope: left }
}

/** By the context of the request: a joined rule is asked with a request of its own. */
const causes = new WeakMap<object, Error>()

/**
 * Says why a rule is about to refuse, or to need an approval: for the event and the log. The caller is
 * told nothing of it.
 */
export function explainRefusal({ ctx }: Pick<AuthorizationRequest, 'ctx'>, why: string): void {
  if (ctx) causes.set(ctx, new Error(why))
}

/** What {@link explainRefusal} said of this request, as the options of an error. */
function refusalCause({ ctx }: Pick<AuthorizationRequest, 'ctx'>): ErrorOptions {
  const cause = ctx && causes.get(ctx)
  return cause ? { cause } : {}
}

/** A verdict that does not refuse. A member that is absent limits nothing. */
export type Limits = Exclude<Verdict, boolean>

type Asked = Pick<AuthorizationRequest, 'scope' | 'stage'>

const NEED_NAMES: readonly unknown[] = ['second_person', 'user'] satisfies readonly Need[]
const MAX_TEXT_LENGTH = 255
const MAX_PERMITS = 16

/** How each member is read. One that is mistyped would otherwise mean "no limit". */
const MEMBER_PARSERS: {
  readonly [Name in keyof Required<Limits>]: (
    value: unknown,
    asked: Asked,
    path: string,
  ) => Limits[Name]
} = {
  scope: parseScope,
  accessTokenTtl: parseTtl,
  needs: parseNeeds,
  emergency: parseEmergency,
  permit: parsePermit,
  review: (value, _asked, path) => parseText(value, `${path}: review`),
}

/**
 * Reads what a rule answered.
 *
 * @param path of the rule, for errors
 * @returns `false` where it refuses
 * @throws TypeError for anything but a verdict (fail closed, I9)
 */
export function parseVerdict(verdict: unknown, asked: Asked, path: string): Limits | false {
  if (verdict === true) return {}
  if (verdict === false) return false
  const names = Object.keys(MEMBER_PARSERS)
  const refuse = () =>
    new TypeError(`${path} must answer true, false or an object of nothing but ${names.join(', ')}`)
  const given = Object.entries(knownMembers(verdict, names, refuse))
  if (given.length === 0) throw refuse()
  const limits: Limits = Object.fromEntries(
    given.map(([name, value]) => [name, MEMBER_PARSERS[name as keyof Limits](value, asked, path)]),
  )
  if (limits.emergency !== undefined && !limits.needs) {
    throw new TypeError(`${path}: emergency stands beside needs`)
  }
  return limits
}

function parseScope(limit: unknown, { stage, scope }: Asked, path: string): string {
  if (typeof limit !== 'string') throw new TypeError(`${path}: scope must be a string`)
  const allowed = [...new Set(limit.split(' ').filter((name) => name !== ''))]
  const asked = scope === undefined ? undefined : new Set(scope.split(' '))
  // At issue, no scope means no limit, which any limit narrows. At the exchange it means none.
  const widened =
    asked === undefined && stage === 'issue' ? [] : allowed.filter((name) => !asked?.has(name))
  if (widened.length > 0) {
    throw new TypeError(`${path} must not allow scopes that were not asked for`)
  }
  return allowed.join(' ')
}

function parseTtl(limit: unknown, _asked: Asked, path: string): number {
  if (typeof limit === 'number' && Number.isSafeInteger(limit) && limit > 0) return limit
  throw new TypeError(`${path}: accessTokenTtl must be a positive integer: seconds`)
}

function parseNeeds(needs: unknown, _asked: Asked, path: string): readonly Need[] {
  if (
    Array.isArray(needs) &&
    needs.length > 0 &&
    needs.every((need) => NEED_NAMES.includes(need))
  ) {
    return Object.freeze([...new Set<Need>(needs)].toSorted())
  }
  throw new TypeError(`${path}: needs must be a list of at least one of: ${NEED_NAMES.join(', ')}`)
}

function parseEmergency(emergency: unknown, _asked: Asked, path: string): boolean {
  if (typeof emergency === 'boolean') return emergency
  throw new TypeError(`${path}: emergency must be true or false`)
}

function parsePermit(permit: unknown, _asked: Asked, path: string): string | readonly string[] {
  if (!Array.isArray(permit)) return parseText(permit, `${path}: permit`)
  if (permit.length === 0) throw new TypeError(`${path}: permit must name at least one permit`)
  return joinPermits(
    permit.map((id) => parseText(id, `${path}: permit`)),
    path,
  )
}

/**
 * Each id once, and one alone without a list.
 *
 * @throws TypeError for more than can be kept
 */
export function joinPermits(permits: readonly string[], path: string): string | readonly string[] {
  const [first = '', ...others] = new Set(permits)
  if (others.length >= MAX_PERMITS) {
    throw new TypeError(`${path}: permit must name at most ${MAX_PERMITS} permits`)
  }
  return others.length === 0 ? first : Object.freeze([first, ...others])
}

function parseText(value: unknown, path: string): string {
  return boundedText(path, value, MAX_TEXT_LENGTH, (message) => new TypeError(message))
}
