import { type AuditEntry, type AuditEventName, USED } from './entry.ts'
import { type AuditStore, isReadable, type Needed, type StoredEntry } from './store.ts'

/** The filter: entries that match all given members. */
export interface AuditFilter {
  /** The account id of the user. */
  readonly subject?: string | undefined
  /** The account id of the operator: the actor, or the only one who may redeem the token. */
  readonly actor?: string | undefined
  /** Without it, all events but the many requests to APIs. */
  readonly event?: AuditEventName | undefined
  /** A text in subject, actor, ticket or reason. Upper and lower case are equal. */
  readonly text?: string | undefined
}

export interface PageRequest {
  /** The cursor of the next, older page. */
  readonly before: string | undefined
  /** The largest number of entries. */
  readonly limit: number
  /** @defaultValue 'all' */
  readonly needed?: Needed
}

export interface Page {
  /** Newest first. */
  readonly entries: readonly StoredEntry[]
  /** The cursor of the next, older page; `null` at the end. */
  readonly next: string | null
}

/** The largest number of entries that one request reads, matching or not. */
export const MAX_SCANNED = 5000
const CHUNK = 500

/** The largest difference between the clocks of several processes, in milliseconds. */
export const SKEW = 60_000

/** Finds the newest entries that match. A page may be empty although the next one is not. */
export async function search(
  store: AuditStore,
  matches: (entry: AuditEntry) => boolean,
  { before, limit, needed }: PageRequest,
): Promise<Page> {
  const entries: StoredEntry[] = []
  let cursor = before
  let size = limit + 1
  for (let left = MAX_SCANNED; left > 0; left -= size, size = Math.min(CHUNK, left)) {
    const chunk = await store.before(cursor, size, needed)
    for (const place of chunk) {
      if (entries.length === limit) return { entries, next: cursor ?? null }
      cursor = place.cursor
      if (isReadable(place) && matches(place.entry)) entries.push(place)
    }
    if (chunk.length < size) return { entries, next: null }
  }
  return { entries, next: cursor ?? null }
}

/** What a search with this filter reads. */
export const neededFor = ({ event }: AuditFilter): Needed =>
  event === USED ? 'all' : 'without requests'

/** Makes the function that tells whether an entry matches the filter. */
export function matcher(filter: AuditFilter): (entry: AuditEntry) => boolean {
  const text = filter.text?.toLowerCase()
  return ({ event, subject, actor, mayAct, context }) =>
    (filter.subject === undefined || filter.subject === subject) &&
    (filter.actor === undefined || [actor?.sub, mayAct?.sub].includes(filter.actor)) &&
    (filter.event === undefined ? event !== USED : filter.event === event) &&
    (text === undefined ||
      [subject, actor?.sub, mayAct?.sub, context?.ticketId, context?.reason].some(
        (value) => typeof value === 'string' && value.toLowerCase().includes(text),
      ))
}
