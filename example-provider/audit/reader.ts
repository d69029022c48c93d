import { type AuditEntry, isAuditEvent, type Place } from './entry.ts'

/** Reads what {@link encodeEntry} made. */
export type ReadPlace = (cursor: string, text: unknown) => Place

/**
 * What cannot be read is passed over, and what stands beside it is still found: a newer version
 * that shares the store may know more events. Stderr is told once, not at every search.
 */
export function placeReader(): ReadPlace {
  let isTold = false
  return (cursor, text) => {
    const entry = decode(text)
    if (!entry && !isTold) {
      isTold = true
      console.error(
        `audit: what is stored at ${cursor} cannot be read and is left out, as is all that is like it; a newer version may have written it`,
      )
    }
    return { cursor, entry }
  }
}

function decode(text: unknown): AuditEntry | undefined {
  try {
    const value: unknown = JSON.parse(String(text))
    return isEntry(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isEntry(value: unknown): value is AuditEntry {
  return (
    typeof value === 'object' &&
    value !== null &&
    'event' in value &&
    isAuditEvent(value.event) &&
    'time' in value &&
    typeof value.time === 'number'
  )
}
