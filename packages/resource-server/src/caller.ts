import type { JWTPayload } from 'jose'
import { type Actor, IMPERSONATED_JTI_PREFIX, parseAct } from './act.ts'
import { invalidToken, RequestRefused, refusedBy } from './refusal.ts'

/** One scope token, RFC 6749 §3.3. */
const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/

/** The caller of a request, as its access token names it. */
export interface Caller {
  /** The user, or the client if the token is for no user. */
  readonly userId: string
  /**
   * The actor for the user, if the token names one. RFC 8693 §4.1. Software has a `clientId`, and
   * the person that it acts for is its `act`.
   */
  readonly actor: Actor | undefined
  /** `true` if an operator acts as the user, named or not. */
  readonly isImpersonated: boolean
  readonly scopes: ReadonlySet<string>
  /** The whole payload. */
  readonly claims: Readonly<JWTPayload>
  /**
   * Aborts when the access token is no longer valid. It is for work that stays open, such as a
   * stream or a WebSocket. `reason` is the error that a new request would get. It is
   * {@link RequestRefused} if the token has expired or its impersonation has ended. It is
   * `StatusUnavailable` if the guard could not fetch the status list before its last copy became
   * too old.
   *
   * The guard watches the token from the first read on, and until the response, the socket of an
   * upgrade or the connection of a Fetch API request closes. The first read also calls
   * `onImpersonatedRequest`. The member is not enumerable, so that a copy or a log does not read
   * it.
   */
  readonly signal: AbortSignal
}

/**
 * A requirement of a route for its caller. It throws {@link RequestRefused}, at once or by a
 * promise, when the caller does not meet it. It returns nothing: a returned value does not let a
 * caller in.
 */
export type Requirement = (caller: Caller) => void | Promise<void>

/**
 * Checks one requirement.
 *
 * @throws RequestRefused if the requirement throws it
 * @throws TypeError if the requirement returns a value. A test that was taken for a requirement,
 * or {@link denyImpersonation} without its call, would let every caller in.
 */
export async function meetRequirement(requirement: Requirement, caller: Caller): Promise<void> {
  const answer: unknown = await requirement(caller)
  if (answer === undefined) return
  throw new TypeError(
    'a requirement must throw RequestRefused to refuse, and answer nothing: write denyImpersonation(), not denyImpersonation',
  )
}

/**
 * Requires this scope. Without it, the route responds with 403 `insufficient_scope`. RFC 6750
 * §3.1.
 *
 * @throws TypeError for anything but one scope token: no other could be granted
 */
export function requireScope(scope: string): Requirement {
  if (typeof scope !== 'string' || !SCOPE_TOKEN.test(scope)) {
    throw new TypeError('requireScope needs one scope token; write one requireScope for each')
  }
  return ({ scopes }) => {
    if (scopes.has(scope)) return
    const description = `access token lacks the scope ${scope}`
    const details = { error: 'insufficient_scope', description, scope }
    throw refusedBy('scope', new RequestRefused(403, details))
  }
}

/**
 * Requires the user in person. While an operator acts as the user, the route responds with 403
 * `access_denied`.
 */
export function denyImpersonation(): Requirement {
  return ({ isImpersonated }) => {
    if (!isImpersonated) return
    const description = 'not while an operator acts for the user'
    const details = { error: 'access_denied', description }
    throw refusedBy('impersonation', new RequestRefused(403, details))
  }
}

/**
 * Requires a person: the user, or an operator that the token names. The route responds with 403
 * `access_denied` while software acts (for an operator, for the user or as itself), and if the
 * token does not name who acts.
 */
export function requirePerson(): Requirement {
  return ({ actor, isImpersonated, userId, claims }) => {
    // RFC 9068 §2.2: the subject of a client's own token is the client.
    const isMachine = !isImpersonated && userId === claims.client_id
    const isPerson = !isMachine && (!isImpersonated || actor !== undefined)
    if (isPerson && actor?.clientId === undefined) return
    const description = isPerson
      ? 'not while software acts for the user'
      : isMachine
        ? 'not by a client itself'
        : 'not by an unnamed actor'
    const details = { error: 'access_denied', description }
    throw refusedBy('person', new RequestRefused(403, details))
  }
}

/**
 * Reads a verified payload.
 *
 * @param watch - makes the signal of the caller on its first read
 * @throws RequestRefused for claims that are missing or malformed
 */
export function callerFrom(claims: JWTPayload, watch: (caller: Caller) => AbortSignal): Caller {
  const { sub, jti, scope, act } = claims
  const actor = act === undefined ? undefined : parseAct(act)
  if (typeof sub !== 'string' || (act !== undefined && !actor)) {
    throw invalidToken('a claim of the access token has the wrong type')
  }
  let signal: AbortSignal | undefined
  const caller: Caller = {
    userId: sub,
    actor,
    isImpersonated: actor !== undefined || String(jti).startsWith(IMPERSONATED_JTI_PREFIX),
    scopes: new Set(typeof scope === 'string' ? scope.split(' ') : []),
    claims: Object.freeze(claims),
    get signal() {
      signal ??= watch(caller)
      return signal
    },
  }
  return Object.freeze(Object.defineProperty(caller, 'signal', { enumerable: false }))
}
