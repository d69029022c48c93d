import { hash } from 'node:crypto'
import { MAX_DATE_MS } from './entry.ts'

/** The SHA-256, base64url, of a text. */
export function digestOf(text: string): string {
  return sha256(text)
}

/**
 * The digest of an entry, four parts with points between them: the SHA-256, base64url, of its text; its
 * time, in milliseconds since the epoch; its row; and whether it holds or releases the row. It is kept
 * when the text is removed, and is part of the chain: so it can be proved that the row was old enough to
 * be removed, and not on hold.
 *
 * @param text JSON, with the members `time` and `event`
 * @param members of the text, where they are known
 */
export function entryDigestOf(
  text: string,
  row: string | undefined,
  { timeMs, event }: { readonly timeMs?: unknown; readonly event?: unknown } = parseMembers(text),
): string {
  const at = typeof timeMs === 'number' && Number.isFinite(timeMs) ? Math.floor(timeMs) : ''
  return `${digestOf(text)}.${at}.${row ?? ''}.${EVENT_MARKS.get(event) ?? ''}`
}

const EVENT_MARKS: ReadonlyMap<unknown, 'held' | 'released'> = new Map([
  ['support.held', 'held'],
  ['support.released', 'released'],
])

/** What the digest of an entry says, also when its text is removed. */
export interface DigestParts {
  /** In milliseconds since the epoch. */
  readonly time: number
  readonly row: string | undefined
  /** Whether the entry puts its row on hold, or releases it. */
  readonly mark: 'held' | 'released' | undefined
}

const DIGEST_FORMAT = /^[\w-]{43}\.\d{1,16}\.[\w-]{0,64}\.(?:held|released)?$/
const DIGEST_LENGTH = 43

/** @returns `undefined` for what is not of {@link entryDigestOf}, or has no time */
export function digestParts(digest: string): DigestParts | undefined {
  if (!DIGEST_FORMAT.test(digest)) return undefined
  const afterTime = digest.indexOf('.', DIGEST_LENGTH + 1)
  const afterRow = digest.lastIndexOf('.')
  const time = Number(digest.slice(DIGEST_LENGTH + 1, afterTime))
  if (time > MAX_DATE_MS) return undefined
  return {
    time,
    row: afterRow > afterTime + 1 ? digest.slice(afterTime + 1, afterRow) : undefined,
    mark: digest.endsWith('held') ? 'held' : digest.endsWith('released') ? 'released' : undefined,
  }
}

function parseMembers(text: string): { readonly timeMs?: unknown; readonly event?: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
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
  return hash('sha256', text, 'base64url')
}
