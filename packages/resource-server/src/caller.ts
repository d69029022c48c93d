import type { JWTPayload } from 'jose'
import { type Actor, IMPERSONATED_JTI_PREFIX, parseAct } from './act.ts'
import { invalidToken, RequestRefused, refusedBy } from './refusal.ts'

/** One scope token, RFC 6749 §3.3. */
const SCOPE_TOKEN = /^[\x21\x23-\x5B\x5D-\x7E]+$/

/** Who calls, by the access token of the request. */
export interface Caller {
  /** The user, or the client where no user takes part. */
  readonly userId: string
  /**
   * Who acts for the user, where the token says so: RFC 8693 §4.1. Software has a `clientId`, and
   * the person that it acts for is its `act`.
   */
  readonly actor: Actor | undefined
  /** Whether an operator acts as the user, named or not. */
  readonly isImpersonated: boolean
  readonly scopes: ReadonlySet<string>
  /** The whole payload. */
  readonly claims: Readonly<JWTPayload>
  /**
   * Aborts when the access token is not good any more, for what stays open: a stream, a WebSocket.
   * `reason` is the error that a new request would get: {@link RequestRefused} if the token has
   * expired or its impersonation has ended, and `StatusUnavailable` if no answer could be had until
   * the last copy of the status list was too old.
   *
   * The guard watches the token from the first read on, and until the response, the socket of an
   * upgrade or the connection of a Fetch API request closes. The first read also calls
   * `onImpersonatedRequest`. The member is not enumerable, so that a copy or a log does not read it.
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
 * @throws RequestRefused where the requirement does
 * @throws TypeError for one that answers something: a test that was taken for a requirement, or
 * {@link denyImpersonation} that was not called, would let every caller in
 */
export async function meetRequirement(requirement: Requirement, caller: Caller): Promise<void> {
  const answer: unknown = await requirement(caller)
  if (answer === undefined) return
  throw new TypeError(
    'a requirement must throw RequestRefused to refuse, and answer nothing: write denyImpersonation(), not denyImpersonation',
  )
}

/**
 * The route needs this scope: 403 `insufficient_scope` without it. RFC 6750 §3.1.
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

/** The route is for the user in person: 403 `access_denied` while an operator acts as the user. */
export function denyImpersonation(): Requirement {
  return ({ isImpersonated }) => {
    if (!isImpersonated) return
    const description = 'not while an operator acts for the user'
    const details = { error: 'access_denied', description }
    throw refusedBy('impersonation', new RequestRefused(403, details))
  }
}

/**
 * The route is for persons: the user, or an operator that the token names. 403 `access_denied` while
 * software acts, for an operator, for the user or as itself, and where the token does not name who acts.
 *
 * Software anywhere in `act` refuses: where a prior actor is software, the person outside of it is the
 * user as whom the software acted, and may know nothing of it. RFC 8693 §4.1 says that prior actors "are
 * not to be considered in access control decisions", so that nobody is let in by them. Here they let
 * nobody in.
 */
export function requirePerson(): Requirement {
  return ({ actor, isImpersonated, userId, claims }) => {
    // RFC 9068 §2.2: the subject of a client's own token is the client.
    const isMachine = !isImpersonated && userId === claims.client_id
    const isPerson = !isMachine && (!isImpersonated || actor !== undefined)
    if (isPerson && !hasSoftware(actor)) return
    const description = isPerson
      ? 'not while software acts for the user'
      : isMachine
        ? 'not by a client itself'
        : 'not by an unnamed actor'
    const details = { error: 'access_denied', description }
    throw refusedBy('person', new RequestRefused(403, details))
  }
}

/** Whether software is one of the actors, the outermost or one before. */
function hasSoftware(actor: Actor | undefined): boolean {
  if (!actor) return false
  return actor.clientId !== undefined || hasSoftware(actor.act)
}

/**
 * Reads a verified payload.
 *
 * @param watch makes the signal of the caller when it is first read
 * @throws RequestRefused for claims that cannot be relied on
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
