import { numberOf } from './cursor.ts'
import { encodeEntry } from './entry.ts'
import { placeReader } from './reader.ts'
import type { AuditRecord, AuditStore } from './store.ts'

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
    async before(cursor, limit) {
      const newer = cursor === undefined ? entries.length : numberOf(cursor) - 1 - forgotten
      const end = Math.max(0, Math.min(newer, entries.length))
      const count = Math.min(limit, end)
      return Array.from({ length: count }, (_, step) => at(end - 1 - step))
    },
    async after(cursor, limit) {
      const start = cursor === undefined ? 0 : Math.max(0, numberOf(cursor) - forgotten)
      const count = Math.max(0, Math.min(limit, entries.length - start))
      return Array.from({ length: count }, (_, step) => at(start + step))
    },
  }
}
