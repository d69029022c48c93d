import { hash } from 'node:crypto'

/** A text that is not empty; `undefined` for anything else. */
export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Makes text safe for an error: short, and only with the characters of RFC 6749 §5.2. */
export function printable(text: string, maxLength?: number): string {
  return text.slice(0, maxLength).replaceAll(/[^\x20\x21\x23-\x5B\x5D-\x7E]/g, '?')
}

/**
 * A text of 1 to `max` characters that a storage keeps as it is and a line of a log can show.
 *
 * @param name - the member, for the error
 * @param hasLines - allows control characters other than NUL
 */
export function boundedText(
  name: string,
  value: unknown,
  max: number,
  refuse: (message: string) => Error,
  hasLines = false,
): string {
  if (value === undefined) throw refuse(`${name} is required`)
  if (typeof value !== 'string') throw refuse(`${name} must be a string`)
  const length = [...value].length
  if (length < 1 || length > max) throw refuse(`${name} must have 1 to ${max} characters`)
  if (!value.isWellFormed() || (hasLines ? /\0/ : /\p{Cc}/u).test(value)) {
    const characters = hasLines ? 'NUL' : 'control characters'
    throw refuse(`${name} must not contain ${characters} or unpaired surrogates`)
  }
  return value
}

/**
 * A blank or an invisible character at either end. Databases ignore some of them when they
 * compare.
 */
const UNSEEN_END = /^[\p{White_Space}\p{Cf}]|[\p{White_Space}\p{Cf}]$/u

/** Checks whether a text begins and ends with a visible character. */
export function hasSeenEnds(text: string): boolean {
  return !UNSEEN_END.test(text)
}

/** The id of an account or a client, a {@link boundedText} whose ends are visible. */
export function boundedId(
  name: string,
  value: unknown,
  max: number,
  refuse: (message: string) => Error,
): string {
  const id = boundedText(name, value, max, refuse)
  if (hasSeenEnds(id)) return id
  throw refuse(`${name} must not begin or end with a blank or an invisible character`)
}

/** The SHA-256 hash of a text, in base64url. */
export function sha256(text: string): string {
  return hash('sha256', text, 'base64url')
}
