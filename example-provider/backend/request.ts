import { Problem } from '../http/problem.ts'
import { isPlain, NO_CONTROLS } from '../http/text.ts'

/** A request for an impersonation. Every member is well-formed. */
export interface ImpersonationRequest {
  readonly userId: string
  readonly reason: string
  readonly ticketId: string
  /** The scopes of the orders API that the operator asks for. */
  readonly scope: string
  /** Seconds; `undefined` for the default lifetime of subject tokens. */
  readonly expiresIn: number | undefined
  /** Seconds to act; `undefined` for the default lifetime of access tokens. */
  readonly duration: number | undefined
}

/** The longest values, in characters. */
const LIMITS = { userId: 255, reason: 500, ticketId: 100 } as const
const MEMBERS: readonly string[] = [...Object.keys(LIMITS), 'scope', 'expiresIn', 'duration']

const SCOPES: readonly string[] = ['orders:read', 'orders:write']
/** Without a scope, the operator may only read. */
const DEFAULT_SCOPE = 'orders:read'

/**
 * How long an operator may act, in seconds. Shorter is useless, longer is too long. The default is
 * the lifetime of the tokens of the orders API, which is also the maximum.
 */
const DURATION = { least: 30, most: 600 } as const

/** @throws Problem 400 that names the member. */
export function parseRequest(body: unknown): ImpersonationRequest {
  const members = membersOf(body, MEMBERS)
  return Object.freeze({
    userId: parseText(members, 'userId'),
    reason: parseText(members, 'reason'),
    ticketId: parseText(members, 'ticketId'),
    scope: parseScope(members.get('scope')),
    expiresIn: parseExpiresIn(members.get('expiresIn')),
    duration: parseDuration(members.get('duration')),
  })
}

function membersOf(body: unknown, known: readonly string[]): ReadonlyMap<string, unknown> {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Problem(400, 'invalid_request', 'the body must be a JSON object')
  }
  const members = new Map<string, unknown>(Object.entries(body))
  if ([...members.keys()].every((name) => known.includes(name))) return members
  const names = known.join(', ')
  throw new Problem(400, 'invalid_request', `the body has a member other than ${names}`)
}

function parseText(members: ReadonlyMap<string, unknown>, name: keyof typeof LIMITS): string {
  const value = members.get(name)
  if (typeof value !== 'string' || value.trim() === '') {
    throw new Problem(400, 'invalid_request', `${name} is required: a text that is not empty`)
  }
  if ([...value].length > LIMITS[name]) {
    throw new Problem(400, 'invalid_request', `${name} must not exceed ${LIMITS[name]} characters`)
  }
  if (!isPlain(value)) throw new Problem(400, 'invalid_request', `${name} ${NO_CONTROLS}`)
  return value
}

function parseScope(value: unknown): string {
  if (value === undefined) return DEFAULT_SCOPE
  const scopes = typeof value === 'string' ? value.split(' ') : []
  const distinct = new Set(scopes).size === scopes.length
  if (scopes.length > 0 && distinct && scopes.every((scope) => SCOPES.includes(scope))) {
    return scopes.join(' ')
  }
  throw new Problem(400, 'invalid_request', `scope must be of: ${SCOPES.join(', ')}`)
}

/** The provider checks the upper limit. */
function parseExpiresIn(value: unknown): number | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  throw new Problem(400, 'invalid_request', 'expiresIn must be a positive integer: seconds')
}

function parseDuration(value: unknown): number | undefined {
  if (value === undefined) return undefined
  const { least, most } = DURATION
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) {
    return value
  }
  const what = `duration must be an integer from ${least} to ${most}: seconds`
  throw new Problem(400, 'invalid_request', what)
}
