import { numberOf } from './cursor.ts'
import { encodeEntry, USED_TEXT } from './entry.ts'
import { placeReader } from './reader.ts'
import type { AuditRecord, AuditStore, Needed, Place } from './store.ts'

/** The largest number of entries. The oldest are removed. */
const CAPACITY = 10_000

interface Kept {
  /** Stored as text, so that no caller can change an entry. */
  readonly text: string
  readonly repeatKey: string | undefined
  count: number
  lastTime: number
}

/** Keeps entries in the memory of this process. Cursors are numbers from 1. */
export function memoryAudit(capacity = CAPACITY): AuditStore {
  const entries: Kept[] = []
  const repeated = new Map<string, Kept>()
  const written = new Map<string, number>()
  let forgotten = 0
  const place = placeReader()
  const at = (index: number) => {
    const kept = entries[index]
    return place(String(forgotten + index + 1), kept?.text, kept)
  }

  /** Up to `limit` places from an index on, one step after the other. */
  function read(start: number, step: 1 | -1, limit: number, needed: Needed): Place[] {
    const places: Place[] = []
    for (let index = start; entries[index] && places.length < limit; index += step) {
      if (needed === 'all' || !entries[index]?.text.startsWith(USED_TEXT)) places.push(at(index))
    }
    return places
  }

  function add({ entry, repeatKey, count, lastTime }: AuditRecord): void {
    const before = repeatKey === undefined ? undefined : repeated.get(repeatKey)
    if (before) {
      before.count += count
      before.lastTime = Math.max(before.lastTime, lastTime)
      return
    }
    const kept = { text: encodeEntry(entry), repeatKey, count, lastTime }
    entries.push(kept)
    if (repeatKey !== undefined) repeated.set(repeatKey, kept)
  }

  function forget(): void {
    while (entries.length > capacity) {
      const key = entries.shift()?.repeatKey
      if (key !== undefined) repeated.delete(key)
      forgotten += 1
    }
  }

  return {
    async append({ writer, number, records }) {
      if ((written.get(writer) ?? 0) >= number) return
      written.set(writer, number)
      for (const record of records) add(record)
      forget()
    },
    async before(cursor, limit, needed = 'all') {
      const newer = cursor === undefined ? entries.length : numberOf(cursor) - 1 - forgotten
      return read(Math.min(newer, entries.length) - 1, -1, limit, needed)
    },
    async after(cursor, limit, needed = 'all') {
      const start = cursor === undefined ? 0 : Math.max(0, numberOf(cursor) - forgotten)
      return read(start, 1, limit, needed)
    },
  }
}
