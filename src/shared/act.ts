import type { ActClaim } from '../public/act-claim.ts'

/** The `act` claim of an actor: RFC 8693 §4.1, "only the subject and its prior actors". */
export function actClaim(actor: ActClaim): ActClaim {
  const { sub, act } = actor
  return Object.freeze(act ? { sub, act: actClaim(act) } : { sub })
}

/** A limit above the length of every real chain, in actors. */
export const MAX_CHAIN = 16

/**
 * Reads the identity claims of an `act` claim and drops all its other members: "the nested act
 * claims [...] are informational only".
 *
 * @returns `undefined` where it is malformed, or longer than `maxLength` actors
 */
export function parseAct(value: unknown, maxLength: number): ActClaim | undefined {
  if (maxLength < 1 || typeof value !== 'object' || value === null) return undefined
  const { sub, act }: { sub?: unknown; act?: unknown } = value
  if (typeof sub !== 'string' || sub === '') return undefined
  if (act === undefined) return Object.freeze({ sub })
  const prior = parseAct(act, maxLength - 1)
  return prior && Object.freeze({ sub, act: prior })
}
