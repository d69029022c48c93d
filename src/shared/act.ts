import type { ActClaim, Actor } from '../public/hooks.ts'
import { present } from './json.ts'

/**
 * The `act` claim (RFC 8693 §4.1) of an operator, or of software, which is always named (I16). If
 * software acts for an operator, the operator is its `act`.
 */
export function actClaim(
  operator: Actor | undefined,
  software: string | undefined,
): ActClaim | undefined {
  if (software === undefined) return operator
  return Object.freeze(present({ sub: software, client_id: software, act: operator }))
}

/** The person with this account id; `undefined` without an id. */
export function actorOf(sub: string | undefined): Actor | undefined {
  return sub === undefined ? undefined : Object.freeze({ sub })
}

/**
 * The account id of the person in the `act` claim of a token of this provider: the operator, also
 * if software acts for the operator.
 */
export function personIn(act: unknown): string | undefined {
  const { sub, client_id: clientId, act: behind }: Partial<ActClaim> = Object(act)
  return clientId === undefined ? sub : behind?.sub
}
