/**
 * The acting party of an `act` claim. Software has its client id in `sub` and in `clientId`, so
 * that it differs from an account with the same id. The person for whom it acts is its `act`.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8693#section-4.1
 */
export interface Actor {
  /** The operator's account id, or the client id of software. */
  readonly sub: string
  /** The client id of software; absent for a person. */
  readonly clientId?: string | undefined
  /** The prior actor: the person for whom software acts, or the one before in a chain. */
  readonly act?: Actor | undefined
}

/** The start of the `jti` of an impersonated JWT. The id of the impersonation follows. */
export const IMPERSONATED_JTI_PREFIX = 'impersonation:'

/** A limit above the length of every real chain, in persons. */
const MAX_CHAIN = 16

/**
 * Reads the identity claims of an `act` claim and drops all its other members: "the nested act
 * claims [...] are informational only".
 *
 * @param personsLeft - software that acts for a person does not count
 * @returns `undefined` if the claim is malformed or its chain is longer
 */
export function parseAct(value: unknown, personsLeft = MAX_CHAIN): Actor | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { sub, client_id, act }: { sub?: unknown; client_id?: unknown; act?: unknown } = value
  if (typeof sub !== 'string' || sub === '') return undefined
  const isSoftware = client_id !== undefined
  if (isSoftware && client_id !== sub) return undefined
  const left = isSoftware ? personsLeft : personsLeft - 1
  if (left < 0) return undefined
  const self = isSoftware ? { sub, clientId: sub } : { sub }
  if (act === undefined) return Object.freeze(self)
  const prior = parseAct(act, left)
  // Software acts for a person, never for other software.
  if (!prior || (isSoftware && prior.clientId !== undefined)) return undefined
  return Object.freeze({ ...self, act: prior })
}

/** Splits an actor into the person and the software that acts for the person or on its own. */
export function personAndSoftware(outermost: Actor | undefined): {
  readonly actor?: Actor
  readonly software?: string
} {
  if (outermost?.clientId === undefined) return outermost ? { actor: outermost } : {}
  return { ...(outermost.act ? { actor: outermost.act } : {}), software: outermost.sub }
}
