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
 * A blank or an invisible character at either end. Databases ignore some of them when they
 * compare.
 */
const UNSEEN_END = /^[\p{White_Space}\p{Cf}]|[\p{White_Space}\p{Cf}]$/u

/** Checks whether a text begins and ends with a visible character. */
export function hasSeenEnds(text: string): boolean {
  return !UNSEEN_END.test(text)
}

/** The SHA-256 hash of a text, in base64url. */
export function sha256(text: string): string {
  return hash('sha256', text, 'base64url')
}
