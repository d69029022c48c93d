import { hash } from 'node:crypto'
import { type AuditEntry, MAX_DATE_MS } from './entry.ts'

/** The SHA-256, base64url, of a text. */
export function digestOf(text: string): string {
  return hash('sha256', text, 'base64url')
}

/** The parts of an entry's digest, which stay when its text is removed. */
export interface DigestParts {
  /** Of the entry: 22 of the characters A-Z, a-z, 0-9, - and _. */
  readonly id: string
  /** In milliseconds since the epoch. */
  readonly time: number
  /** The impersonation or the record that the entry is about. */
  readonly subject: string | undefined
  /** `h` for an entry that puts its subject on hold, `r` for one that releases it. */
  readonly mark: string
}

const MARKS: ReadonlyMap<string, string> = new Map([
  ['support.held', 'h'],
  ['support.released', 'r'],
])

/**
 * The digest of an entry: the SHA-256, base64url, of its text; its id; its time; `h` where it holds its subject, `r`
 * where it releases it; and the subject. It is kept when the text is removed, and is what is sealed: so it can be
 * proved that a text was old enough to be removed, and its subject not on hold. Each part is at a place of its own,
 * by which the databases make columns of it.
 */
export function entryDigestOf(
  text: string,
  { id, subject }: Pick<DigestParts, 'id' | 'subject'>,
  { event, timeMs }: Pick<AuditEntry, 'event' | 'timeMs'>,
): string {
  const mark = MARKS.get(event) ?? '-'
  const time = String(timeMs).padStart(16, '0')
  return `${digestOf(text)}.${id}.${time}.${mark}.${subject ?? ''}`
}

const DIGEST_FORMAT = /^[\w-]{43}\.([\w-]{22})\.(\d{16})\.([hr-])\.([\w-]{0,64})$/

/** @returns `undefined` for what is not of {@link entryDigestOf} */
export function digestParts(digest: string): DigestParts | undefined {
  const [, id = '', digits, mark = '', subject] = DIGEST_FORMAT.exec(digest) ?? []
  const time = Number(digits)
  return time <= MAX_DATE_MS ? { id, time, subject: subject || undefined, mark } : undefined
}

/** Returns true if a digest is that of an entry with this text. */
export function isTextOf(text: string, digest: string): boolean {
  return digest.startsWith(`${digestOf(text)}.`)
}
