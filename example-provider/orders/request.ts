import { Problem } from '../http/problem.ts'
import { isPlain, NO_CONTROLS } from '../http/text.ts'

/** Longest values, in characters. */
const MAX_NOTE = 200
/** RFC 5321 §4.5.3.1.3: a path of 256 octets, less its angle brackets. */
const MAX_EMAIL = 254

/**
 * Reads the new delivery note. An empty note removes it.
 *
 * @throws Problem 400
 */
export function parseDeliveryNote(body: unknown): string {
  const note = onlyMember(body, 'deliveryNote')
  if (typeof note !== 'string' || [...note].length > MAX_NOTE) {
    throw invalid(`deliveryNote is required: a text of at most ${MAX_NOTE} characters`)
  }
  if (!isPlain(note)) throw invalid(`deliveryNote ${NO_CONTROLS}`)
  return note
}

/**
 * Reads an e-mail address. Only a confirmation mail can show whether the address works.
 *
 * @throws Problem 400
 */
export function parseEmail(body: unknown): string {
  const email = onlyMember(body, 'email')
  if (
    typeof email !== 'string' ||
    email.length > MAX_EMAIL ||
    !isPlain(email) ||
    !/^[^\s@]+@[^\s@]+$/u.test(email)
  ) {
    throw invalid(`email is required: an address of at most ${MAX_EMAIL} characters`)
  }
  return email
}

function onlyMember(body: unknown, name: string): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid('the body must be a JSON object')
  }
  const members = new Map<string, unknown>(Object.entries(body))
  if ([...members.keys()].some((other) => other !== name)) {
    throw invalid(`the body has a member other than ${name}`)
  }
  return members.get(name)
}

function invalid(description: string): Problem {
  return new Problem(400, 'invalid_request', description)
}
