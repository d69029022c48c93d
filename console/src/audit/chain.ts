import { createHash } from 'node:crypto'

/**
 * The hash of a link: SHA-256, base64url, of the hash before, a line feed, and the text.
 *
 * @param previous the hash of the link before; of the first link, the name of the writer
 */
export function hashOf(previous: string, text: string): string {
  return createHash('sha256').update(`${previous}\n${text}`).digest('base64url')
}
