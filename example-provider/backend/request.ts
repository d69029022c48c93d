import { Problem } from '../http/problem.ts'

/** A request for an impersonation, every member of which is known to be well-formed. */
export interface ImpersonationRequest {
  readonly userId: string
  readonly reason: string
  readonly ticketId: string
}

/** Longest values, in characters. */
const LIMITS = { userId: 255, reason: 500, ticketId: 100 } as const

/** @throws Problem 400 naming the member. */
export function parseRequest(body: unknown): ImpersonationRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new Problem(400, 'invalid_request', 'the body must be a JSON object')
  }
  const members = new Map<string, unknown>(Object.entries(body))
  for (const name of members.keys()) {
    if (!Object.hasOwn(LIMITS, name)) {
      const known = Object.keys(LIMITS).join(', ')
      throw new Problem(400, 'invalid_request', `the body has a member other than ${known}`)
    }
  }
  return Object.freeze({
    userId: parseText(members, 'userId'),
    reason: parseText(members, 'reason'),
    ticketId: parseText(members, 'ticketId'),
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
