import type { ActClaim, Actor } from '../public/hooks.ts'
import { present } from './json.ts'

/** The `act` claim of an actor: RFC 8693 §4.1, "only the subject and its prior actors". */
export function actClaim({ sub, clientId, act }: Actor): ActClaim {
  return Object.freeze(present({ sub, client_id: clientId, act: act && actClaim(act) }))
}

/**
 * The `act` claim of software, which is always named (I16). If it acts for a person, that is its
 * `act`.
 */
export function softwareAct(clientId: string, person: Actor | undefined): ActClaim {
  return actClaim({ sub: clientId, clientId, act: person })
}

/**
 * The account id of the person in the `act` claim of a token of this provider: the operator, also
 * if software acts for the operator.
 */
export function personIn(act: unknown): string | undefined {
  const { sub, client_id: clientId, act: behind }: Partial<ActClaim> = Object(act)
  return clientId === undefined ? sub : behind?.sub
}
