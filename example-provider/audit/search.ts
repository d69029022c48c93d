import {
  type AuditEntry,
  type AuditEventName,
  type AuditStore,
  isReadable,
  type Place,
  type StoredEntry,
} from './entry.ts'

/** What to look for: entries that match all that is given. */
export interface AuditFilter {
  /** The account id of the user. */
  readonly subject?: string | undefined
  /** The account id of who acts. */
  readonly actor?: string | undefined
  readonly event?: AuditEventName | undefined
  /** Somewhere in subject, actor, ticket or reason, whatever the case. */
  readonly text?: string | undefined
}

export interface PageRequest {
  /** The cursor from which to go on with older ones. */
  readonly before: string | undefined
  /** So many entries at most. */
  readonly limit: number
}

export interface Page {
  /** Newest first. */
  readonly entries: readonly StoredEntry[]
  /** From where to go on; `null` when there is nothing older. */
  readonly next: string | null
}

/** So many entries are looked at for one request, whatever matches. */
export const MOST_SCANNED = 5000
const CHUNK = 500

/** By how much the clocks of several processes may differ, in milliseconds. */
export const SKEW = 60_000

/** The newest entries that match. There may be none on a page and some on the next. */
export async function search(
  store: AuditStore,
  matches: (entry: AuditEntry) => boolean,
  { before, limit }: PageRequest,
): Promise<Page> {
  const entries: StoredEntry[] = []
  let cursor = before
  let size = limit + 1
  for (let left = MOST_SCANNED; left > 0; left -= size, size = Math.min(CHUNK, left)) {
    const chunk = await store.before(cursor, size)
    for (const place of chunk) {
      if (entries.length === limit) return { entries, next: cursor ?? null }
      cursor = place.cursor
      if (isReadable(place) && matches(place.entry)) entries.push(place)
    }
    if (chunk.length < size) return { entries, next: null }
  }
  return { entries, next: cursor ?? null }
}

/**
 * The newest entry that matches, of those since then: however many there are, for nobody must be
 * able to hide one behind others.
 *
 * @param since in milliseconds since the epoch
 */
export async function findNewest(
  store: AuditStore,
  matches: (entry: AuditEntry) => boolean,
  since: number,
): Promise<AuditEntry | undefined> {
  const isPast = ({ entry }: Place) => entry !== undefined && entry.time < since
  let cursor: string | undefined
  for (;;) {
    const chunk = await store.before(cursor, CHUNK)
    const found = chunk.find((place) => isReadable(place) && !isPast(place) && matches(place.entry))
    if (found) return found.entry
    // One alone may be of a process whose clock is slow, or whose store was.
    if (chunk.length < CHUNK || chunk.every(isPast)) return undefined
    cursor = chunk.at(-1)?.cursor
  }
}

/** Whether an entry is what somebody looks for. */
export function matcher(filter: AuditFilter): (entry: AuditEntry) => boolean {
  const text = filter.text?.toLowerCase()
  return ({ event, subject, actor, context }) =>
    (filter.subject === undefined || filter.subject === subject) &&
    (filter.actor === undefined || filter.actor === actor?.sub) &&
    (filter.event === undefined || filter.event === event) &&
    (text === undefined ||
      [subject, actor?.sub, context?.ticketId, context?.reason].some(
        (value) => typeof value === 'string' && value.toLowerCase().includes(text),
      ))
}
