import type { JWTPayload } from 'jose'
import { parseAct } from '../actor-chain.ts'
import type { ActClaim } from '../claims-hook.ts'
import { IMPERSONATED_JTI_PREFIX } from '../jwt-access-token.ts'
import { RequestRefused } from './errors.ts'

/** Who calls, by the access token of the request. */
export interface Caller {
  /** The user, or the client where no user takes part. */
  readonly subject: string
  /** Who acts for the subject, where the token says so: RFC 8693 §4.1. */
  readonly actor: ActClaim | undefined
  /** Whether somebody else acts as the subject, named or not. */
  readonly isImpersonated: boolean
  readonly scopes: ReadonlySet<string>
  /** The whole payload. */
  readonly claims: Readonly<JWTPayload>
}

/** Something that a route asks of its caller. Throws {@link RequestRefused} where it is not so. */
export type Requirement = (caller: Caller) => void

/** The route needs this scope: 403 `insufficient_scope` without it. RFC 6750 §3.1. */
export function requireScope(scope: string): Requirement {
  return ({ scopes }) => {
    if (scopes.has(scope)) return
    const description = `access token lacks the scope ${scope}`
    throw new RequestRefused(403, { error: 'insufficient_scope', description, scope })
  }
}

/** The route is for the user in person: 403 `access_denied` while somebody acts as them. */
export function denyImpersonation(): Requirement {
  return ({ isImpersonated }) => {
    if (!isImpersonated) return
    const description = 'not while somebody acts for the user'
    throw new RequestRefused(403, { error: 'access_denied', description })
  }
}

/** More actors than any chain has. */
const MAX_CHAIN = 16

/**
 * Reads a verified payload.
 *
 * @throws RequestRefused for claims that cannot be relied on
 */
export function callerFrom(claims: JWTPayload): Caller {
  const { sub, jti, scope, act, cnf } = claims
  const actor = act === undefined ? undefined : parseAct(act, MAX_CHAIN)
  if (typeof sub !== 'string' || (act !== undefined && !actor)) {
    throw new RequestRefused(401, {
      error: 'invalid_token',
      description: 'a claim of the access token has the wrong type',
    })
  }
  if (cnf !== undefined) {
    // Bound to a key (RFC 9449, RFC 8705), of which nothing here asks for proof.
    throw new RequestRefused(401, {
      error: 'invalid_token',
      description: 'a sender-constrained access token is no bearer token',
    })
  }
  return Object.freeze({
    subject: sub,
    actor,
    isImpersonated: actor !== undefined || String(jti).startsWith(IMPERSONATED_JTI_PREFIX),
    scopes: new Set(typeof scope === 'string' ? scope.split(' ') : []),
    claims: Object.freeze(claims),
  })
}
