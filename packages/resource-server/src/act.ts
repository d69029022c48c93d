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
  /** The person for whom software acts. */
  readonly act?: Actor | undefined
}

/** The start of the `jti` of an impersonated JWT. The id of the impersonation follows. */
export const IMPERSONATED_JTI_PREFIX = 'impersonation:'

/**
 * Reads the identity claims of an `act` claim and drops all its other members: "the nested act
 * claims [...] are informational only".
 *
 * @param isPerson - refuses software, which acts for a person and never for other software
 * @returns `undefined` if the claim is malformed
 */
export function parseAct(value: unknown, isPerson = false): Actor | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { sub, client_id, act }: { sub?: unknown; client_id?: unknown; act?: unknown } = value
  if (typeof sub !== 'string' || sub === '') return undefined
  if (client_id === undefined && act === undefined) return Object.freeze({ sub })
  if (isPerson || client_id !== sub) return undefined
  if (act === undefined) return Object.freeze({ sub, clientId: sub })
  const person = parseAct(act, true)
  return person && Object.freeze({ sub, clientId: sub, act: person })
}

/** Splits an actor into the person and the software that acts for the person or on its own. */
export function personAndSoftware(outermost: Actor | undefined): {
  readonly actor?: Actor
  readonly software?: string
} {
  if (outermost?.clientId === undefined) return outermost ? { actor: outermost } : {}
  return { ...(outermost.act ? { actor: outermost.act } : {}), software: outermost.sub }
}
