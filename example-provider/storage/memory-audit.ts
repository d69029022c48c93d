import { numberOf } from '../audit/cursor.ts'
import { type AuditStore, encodeEntry } from '../audit/entry.ts'
import { placeReader } from '../audit/reader.ts'

/** So many entries are kept; the oldest are forgotten. */
const CAPACITY = 10_000

/** Entries in this process, forgotten at its end. Cursors are numbers, counted from 1. */
export function memoryAudit(capacity = CAPACITY): AuditStore {
  // As text: nobody can change an entry from outside.
  const entries: string[] = []
  let forgotten = 0
  const place = placeReader()
  const at = (index: number) => place(String(forgotten + index + 1), entries[index])

  return {
    async append(entry) {
      entries.push(encodeEntry(entry))
      if (entries.length <= capacity) return
      entries.shift()
      forgotten += 1
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
