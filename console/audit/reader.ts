import { type AuditEntry, isAuditEvent } from './entry.ts'
import { tell } from './log-line.ts'
import type { Place } from './store.ts'

/** How often an event happened, as the store returns it. Numbers may come as text. */
export interface Repetition {
  readonly count: unknown
  /** In milliseconds since the epoch. */
  readonly lastTime: unknown
}

/** Reads the output of {@link encodeEntry}. */
export type ReadPlace = (cursor: string, text: unknown, repetition?: Repetition) => Place

/**
 * Skips an entry that it cannot read, and still finds the entries beside it. A newer version that
 * shares the store may have more events. It writes to stderr once, not at every search.
 */
export function placeReader(): ReadPlace {
  let isTold = false
  return (cursor, text, repetition) => {
    const entry = decode(text)
    if (!entry && !isTold) {
      isTold = true
      tell(
        `what is stored at ${cursor} cannot be read and is left out, as is all that is like it; a newer version may have written it`,
      )
    }
    return { cursor, entry: entry && repetition ? withRepetition(entry, repetition) : entry }
  }
}

function withRepetition(entry: AuditEntry, repetition: Repetition): AuditEntry {
  const count = Number(repetition.count)
  return count > 1 ? { ...entry, count, lastTime: Number(repetition.lastTime) } : entry
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
