import { createHash } from 'node:crypto'

/** The SHA-256, base64url, of a text. */
export function digestOf(text: string): string {
  return sha256(text)
}

/**
 * The digest of an entry: the SHA-256, base64url, of its text, a point, and its time, in milliseconds
 * since the epoch. It is kept when the text is removed, and is part of the chain: so it can be proved
 * that the entry was old enough to be removed.
 *
 * @param text JSON, with a member `time`
 */
export function entryDigestOf(text: string): string {
  return `${digestOf(text)}.${timeIn(text) ?? ''}`
}

/** The greatest time of a `Date`, in milliseconds since the epoch. */
const LATEST = 8_640_000_000_000_000

/** The time in the digest of an entry, in milliseconds since the epoch; `undefined` without one. */
export function timeOfDigest(digest: string): number | undefined {
  const [, time] = /^[\w-]{43}\.(\d{1,16})$/.exec(digest) ?? []
  return time === undefined || Number(time) > LATEST ? undefined : Number(time)
}

function timeIn(text: string): number | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const time = typeof value === 'object' && value !== null && 'time' in value ? value.time : ''
    return typeof time === 'number' ? Math.floor(time) : undefined
  } catch {
    return undefined
  }
}

/**
 * The hash of a link: SHA-256, base64url, of the hash before, a line feed, and the digest of the
 * text. It is made of the digest: a text can be removed, and the links before it can still be
 * verified.
 *
 * @param previous the hash of the link before; of the first link, the name of the writer
 * @param digest see {@link entryDigestOf}
 */
export function hashOf(previous: string, digest: string): string {
  return sha256(`${previous}\n${digest}`)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
