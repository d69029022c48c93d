import { randomBytes } from 'node:crypto'

/** A value that no other test and no other run uses. */
export function unique(label = 'id'): string {
  return `${label}-${randomBytes(12).toString('base64url')}`
}
