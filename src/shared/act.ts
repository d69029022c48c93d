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

/** Splits an actor into the person and the software that acts for the person or on its own. */
export function personAndSoftware(outermost: Actor | undefined) {
  if (outermost?.clientId === undefined) return present({ actor: outermost, software: undefined })
  return present({ actor: outermost.act, software: outermost.sub })
}

/** A limit above the number of persons in every real `act`. */
const MAX_PERSONS = 16

/**
 * Reads the identity claims of an `act` claim and drops all its other members: "the nested act
 * claims [...] are informational only".
 *
 * @param maxPersons - software that acts for a person does not count
 * @returns `undefined` if the claim is malformed or its chain is longer
 */
export function parseAct(value: unknown, maxPersons = MAX_PERSONS): Actor | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { sub, client_id, act }: { sub?: unknown; client_id?: unknown; act?: unknown } = value
  if (typeof sub !== 'string' || sub === '') return undefined
  const isSoftware = client_id !== undefined
  if (isSoftware && client_id !== sub) return undefined
  const personsLeft = isSoftware ? maxPersons : maxPersons - 1
  if (personsLeft < 0) return undefined
  const prior = act === undefined ? undefined : parseAct(act, personsLeft)
  // Software acts for a person, never for other software.
  if (act !== undefined && (!prior || (isSoftware && prior.clientId !== undefined))) {
    return undefined
  }
  return Object.freeze(present({ sub, clientId: isSoftware ? sub : undefined, act: prior }))
}
