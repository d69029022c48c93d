import { errors, type Provider } from 'oidc-provider'
import { instance } from '../host/weak-cache.ts'
import { descriptionsOf } from '../options/descriptions.ts'
import {
  boolean,
  boundedText,
  list,
  oneOf,
  type Rule,
  resolve,
  rule,
  seconds,
  valid,
} from '../options/rules.ts'
import type { AuthorizationRequest, Authorize, Need, Verdict } from '../public/hooks.ts'
import { ApprovalRequired, NotApproved, TooManyRequests } from '../shared/errors.ts'
import { isPlainObject, present } from '../shared/json.ts'

const OPTION_PATH = 'features.impersonation.authorize'

/** The permission of the deployment's rule: the whole request, or less. */
export interface Permission extends Pick<Limits, 'accessTokenTtl' | 'permit' | 'review'> {
  readonly scope: string | undefined
}

/**
 * Calls the deployment's rule.
 *
 * @throws errors.AccessDenied if it refuses; at the exchange, {@link NotApproved} if an approval
 * is missing
 * @throws ApprovalRequired at issue, if an approval is missing
 * @throws TooManyRequests if the rule throws it
 * @throws Error if the rule fails or returns anything else (fail closed, I9: nothing is issued
 * then)
 */
export async function permissionFor(
  authorize: Authorize | undefined,
  request: AuthorizationRequest,
): Promise<Permission> {
  if (!authorize) return { scope: request.scope }
  let limits: Limits | false
  try {
    limits = parseVerdict(await authorize(Object.freeze(request)), request, OPTION_PATH)
  } catch (cause) {
    // A new one, because the rule may have changed the members of its own.
    if (cause instanceof TooManyRequests) throw new TooManyRequests(cause.retryAfter)
    // Any other error of the rule, even one of the protocol, permits nothing.
    throw new Error(`${OPTION_PATH} failed at the stage ${request.stage}`, { cause })
  }
  const why = refusalCause(request)
  if (limits === false) throw new errors.AccessDenied('refused by policy', why)
  const { needs, emergency } = limits
  if (needs && request.stage === 'issue') throw new ApprovalRequired(needs, emergency, why)
  if (needs) throw new NotApproved(needs, why)
  // At issue, the empty string means that no scope may ever be granted, and `undefined` means no
  // limit.
  const { scope = request.scope } = limits
  const left = request.stage === 'exchange' && scope === '' ? undefined : scope
  return { ...limits, scope: left }
}

/** Causes by the context of the request, because a joined rule gets a request of its own. */
const causes = new WeakMap<object, Error>()

/**
 * Records why a rule is about to refuse, or to need an approval, for the event and the log. The
 * caller does not get it.
 */
export function explainRefusal({ ctx }: Pick<AuthorizationRequest, 'ctx'>, why: string): void {
  if (ctx) causes.set(ctx, new Error(why))
}

/** The cause that {@link explainRefusal} recorded for this request, as the options of an error. */
function refusalCause({ ctx }: Pick<AuthorizationRequest, 'ctx'>): ErrorOptions {
  const cause = ctx && causes.get(ctx)
  return cause ? { cause } : {}
}

/** A verdict that does not refuse. An absent member limits nothing. */
type Limits = Exclude<Verdict, boolean>

type Asked = Pick<AuthorizationRequest, 'scope' | 'stage'>

const NEED_NAMES = ['second_person', 'user'] as const satisfies readonly Need[]
const MAX_TEXT_LENGTH = 255
const MAX_PERMITS = 16

const listOfNeeds = list(oneOf(NEED_NAMES), `needs, of: ${NEED_NAMES.join(', ')}`, 1).required('')

const boundedLine = boundedText(MAX_TEXT_LENGTH)
const permitId = boundedLine.required('')

const RULES = {
  scope: valid<string>((value) => typeof value === 'string', 'a string'),
  accessTokenTtl: seconds,
  needs: rule<readonly Need[]>((value, path) =>
    Object.freeze([...new Set(listOfNeeds(value, path))].toSorted()),
  ),
  emergency: boolean,
  permit: rule<string | readonly string[]>((value, path) => {
    const ids: unknown[] = Array.isArray(value) ? value : [value]
    if (ids.length === 0) throw new TypeError(`${path} must name at least one permit`)
    return joinPermits(
      ids.map((id) => permitId(id, path)),
      path,
    )
  }),
  review: boundedLine,
} satisfies { readonly [Name in keyof Required<Limits>]: Rule }

/**
 * Reads the verdict of a rule.
 *
 * @param path - the path of the rule, for errors
 * @returns `false` if it refuses
 * @throws TypeError for anything but a verdict (fail closed, I9)
 */
function parseVerdict(verdict: unknown, asked: Asked, path: string): Limits | false {
  if (typeof verdict === 'boolean') return verdict && {}
  const given = isPlainObject(verdict) ? Object.values(verdict) : []
  // A member that is `undefined` would otherwise mean "no limit".
  if (given.length === 0 || given.includes(undefined)) {
    const names = Object.keys(RULES).join(', ')
    throw new TypeError(`${path} must answer true, false or an object of nothing but ${names}`)
  }
  const limits = present(resolve(RULES, verdict, path))
  if (limits.emergency !== undefined && !limits.needs) {
    throw new TypeError(`${path}: emergency stands beside needs`)
  }
  if (limits.scope === undefined) return limits
  return { ...limits, scope: narrowedBy(limits.scope, asked, path) }
}

function narrowedBy(limit: string, { stage, scope }: Asked, path: string): string {
  const allowed = [...new Set(limit.split(' ').filter((name) => name !== ''))]
  const asked = scope === undefined ? undefined : new Set(scope.split(' '))
  // At issue, no scope means no limit, which any limit narrows. At the exchange it means none.
  const isNarrower =
    (asked === undefined && stage === 'issue') || allowed.every((name) => asked?.has(name))
  if (!isNarrower) throw new TypeError(`${path} must not allow scopes that were not asked for`)
  return allowed.join(' ')
}

/**
 * Joins several rules. Each is called, in order, until one returns `false`, which overrides all
 * others. Their needs unite, their scopes intersect, and the shortest time counts. `emergency` is
 * allowed if every rule that needs an approval allows it. All permits are kept, and every
 * `review`, the shortest first, cut off after 255 characters. Its `description` is the list of
 * theirs.
 *
 * @throws TypeError for anything but a function, or if a `description` is no sentence
 * @example
 * authorize: allOf(businessHours, permits.wrap(secondPersonForChanges))
 */
export function allOf(...rules: readonly Authorize[]): Authorize {
  if (rules.length === 0 || rules.some((rule) => typeof rule !== 'function')) {
    throw new TypeError('allOf(...rules) takes at least one rule, each a function')
  }
  const description = rules.flatMap((rule, index) =>
    descriptionsOf(rule, `allOf: rule ${index + 1}`),
  )
  const joined: Authorize = async (request) => {
    const all: Limits[] = []
    let { scope } = request
    for (const [index, rule] of rules.entries()) {
      // Each sees the scope that the rules before it left.
      const verdict = await rule(Object.freeze({ ...request, scope }))
      const limits = parseVerdict(verdict, request, `allOf: rule ${index + 1}`)
      if (limits === false) return false
      all.push(limits)
      const allowed = limits.scope?.split(' ')
      if (allowed)
        scope = (scope?.split(' ') ?? allowed).filter((name) => allowed.includes(name)).join(' ')
      if (scope === '') return false
    }
    const isLimited = all.some((limits) => limits.scope !== undefined)
    const limits = join(all, isLimited ? scope : undefined)
    return Object.keys(limits).length === 0 ? true : (limits as Exclude<Verdict, boolean>)
  }
  return Object.assign(joined, { description })
}

function join(all: readonly Limits[], scope: string | undefined): Limits {
  const needing = all.filter(({ needs }) => needs)
  const ttls = all.flatMap(({ accessTokenTtl }) => accessTokenTtl ?? [])
  const permits = all.flatMap(({ permit }) => permit ?? [])
  const reviews = all.flatMap(({ review }) => review?.split('; ') ?? [])
  return present({
    scope,
    accessTokenTtl: ttls.length > 0 ? Math.min(...ttls) : undefined,
    permit: permits.length > 0 ? joinPermits(permits, 'allOf: permit') : undefined,
    review: reviews.length > 0 ? joinReviews(reviews) : undefined,
    ...(needing.length > 0 && {
      needs: needing.flatMap(({ needs = [] }) => needs),
      emergency: needing.every(({ emergency }) => emergency === true),
    }),
  })
}

/** A long review must not cut off the others. */
function joinReviews(reviews: readonly string[]): string {
  const shortestFirst = [...new Set(reviews)].toSorted((one, other) => one.length - other.length)
  return shortestFirst.join('; ').slice(0, MAX_TEXT_LENGTH).toWellFormed()
}

/**
 * Returns each id once, and a single id without a list.
 *
 * @throws TypeError for more permits than can be kept
 */
function joinPermits(permits: readonly string[], path: string): string | readonly string[] {
  const [first = '', ...others] = new Set(permits)
  if (others.length >= MAX_PERMITS) {
    throw new TypeError(`${path} must name at most ${MAX_PERMITS} permits`)
  }
  return others.length === 0 ? first : Object.freeze([first, ...others])
}

/**
 * The descriptions of the deployment's rule, for each rule that it is made of; empty without a
 * rule.
 */
export function describeRule(provider: Provider): readonly (string | undefined)[] {
  const { authorize } = instance(provider).options
  return authorize ? descriptionsOf(authorize, OPTION_PATH) : []
}
