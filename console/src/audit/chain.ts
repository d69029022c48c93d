import { createHash } from 'node:crypto'

/** The SHA-256, base64url, of the text of an entry. */
export function digestOf(text: string): string {
  return sha256(text)
}

/**
 * The hash of a link: SHA-256, base64url, of the hash before, a line feed, and the digest of the
 * text. It is made of the digest: a text can be removed, and the links before it can still be
 * verified.
 *
 * @param previous the hash of the link before; of the first link, the name of the writer
 * @param digest see {@link digestOf}
 */
export function hashOf(previous: string, digest: string): string {
  return sha256(`${previous}\n${digest}`)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
