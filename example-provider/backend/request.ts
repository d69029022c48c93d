import { Problem } from '../http/problem.ts'

/** A request for an impersonation, every member of which is known to be well-formed. */
export interface ImpersonationRequest {
  readonly userId: string
  readonly reason: string
  readonly ticketId: string
  /** What the operator wants to do: scopes of the orders API. */
  readonly scope: string
  /** Seconds; `undefined` for as long as subject tokens live. */
  readonly expiresIn: number | undefined
}

/** Longest values, in characters. */
const LIMITS = { userId: 255, reason: 500, ticketId: 100 } as const
const MEMBERS: readonly string[] = [...Object.keys(LIMITS), 'scope', 'expiresIn']

const SCOPES: readonly string[] = ['orders:read', 'orders:write']
/** Who does not say that they want to change something only looks. */
const DEFAULT_SCOPE = 'orders:read'

/** @throws Problem 400 naming the member. */
export function parseRequest(body: unknown): ImpersonationRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Problem(400, 'invalid_request', 'the body must be a JSON object')
  }
  const members = new Map<string, unknown>(Object.entries(body))
  if ([...members.keys()].some((name) => !MEMBERS.includes(name))) {
    const known = MEMBERS.join(', ')
    throw new Problem(400, 'invalid_request', `the body has a member other than ${known}`)
  }
  return Object.freeze({
    userId: parseText(members, 'userId'),
    reason: parseText(members, 'reason'),
    ticketId: parseText(members, 'ticketId'),
    scope: parseScope(members.get('scope')),
    expiresIn: parseExpiresIn(members.get('expiresIn')),
  })
}

function parseText(members: ReadonlyMap<string, unknown>, name: keyof typeof LIMITS): string {
  const value = members.get(name)
  if (typeof value !== 'string' || value.trim() === '') {
    throw new Problem(400, 'invalid_request', `${name} is required: a text that is not empty`)
  }
  if ([...value].length > LIMITS[name]) {
    throw new Problem(400, 'invalid_request', `${name} must not exceed ${LIMITS[name]} characters`)
  }
  if (/\p{Cc}/u.test(value) || !value.isWellFormed()) {
    throw new Problem(400, 'invalid_request', `${name} must not contain control characters`)
  }
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

/** How long is too long, the provider knows. */
function parseExpiresIn(value: unknown): number | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  throw new Problem(400, 'invalid_request', 'expiresIn must be a positive integer: seconds')
}
