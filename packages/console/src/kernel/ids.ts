import { randomBytes } from 'node:crypto'

/** Checks whether a text can be the id of an impersonation: a SHA-256, base64url. */
export function isId(text: string): boolean {
  return /^[\w-]{43}$/.test(text)
}

/** The id of a new permit or stop. Nobody can guess it. */
export function newId(): string {
  return randomBytes(32).toString('base64url')
}
