import { randomUUID } from 'node:crypto'
import { digestOf, entryDigestOf, hashOf } from './chain.ts'
import { type AuditEntry, encodeEntry } from './entry.ts'
import { likenessOf } from './repeats.ts'
import type { Batch, NewRecord, Repetition } from './store.ts'

/** How many entries are remembered, so that events like them are counted. */
const REMEMBERED = 10_000
/** How long after an entry an event like it is counted, in milliseconds. Then a new entry is made. */
const COUNTED_FOR = 3_600_000

/** An entry that events like it are counted on. */
interface Remembered {
  readonly repeatKey: string
  readonly row: string | undefined
  readonly time: number
}

/** Makes the batches of one writer: what is new is linked to its chain, what is alike is counted. */
export interface Batches {
  /** A random UUID. */
  readonly writer: string
  /** The batch of these entries, which comes after all batches before. */
  next(entries: readonly AuditEntry[]): Batch
}

/** @param remembered how many entries are remembered, so that events like them are counted */
export function batches(remembered = REMEMBERED): Batches {
  const writer: string = randomUUID()
  /** By likeness, the one that was used last at the end. */
  const known = new Map<string, Remembered>()
  let [number, sequence, hash] = [0, 0, writer]

  function link(entry: AuditEntry, likeness: string | undefined): NewRecord {
    const text = encodeEntry(entry)
    const digest = entryDigestOf(text)
    sequence += 1
    hash = hashOf(hash, digest)
    // The writer is part of it: an entry is counted on by its writer alone.
    const name = `${writer}.${sequence}`
    const row = rowOf(entry, name)
    const repeatKey = likeness === undefined ? undefined : name
    if (likeness !== undefined) remember(likeness, { repeatKey: name, row, time: entry.time })
    return { sequence, text, digest, hash, entry, row, repeatKey }
  }

  function remember(likeness: string, entry: Remembered): void {
    known.delete(likeness)
    known.set(likeness, entry)
    const [oldest] = known.keys()
    if (known.size > remembered && oldest !== undefined) known.delete(oldest)
  }

  function entryLike(likeness: string | undefined, time: number): Remembered | undefined {
    const found = likeness === undefined ? undefined : known.get(likeness)
    if (likeness === undefined || !found || time - found.time >= COUNTED_FOR) return undefined
    remember(likeness, found)
    return found
  }

  return {
    writer,
    next(entries) {
      const records: NewRecord[] = []
      const repetitions = new Map<string, Repetition>()
      for (const entry of entries) {
        const likeness = likenessOf(entry)
        const found = entryLike(likeness, entry.time)
        if (!found) {
          records.push(link(entry, likeness))
          continue
        }
        const { repeatKey, row } = found
        const before = repetitions.get(repeatKey)
        const count = (before?.count ?? 0) + 1
        const lastTime = Math.max(before?.lastTime ?? 0, entry.time)
        repetitions.set(repeatKey, { repeatKey, row, entry, count, lastTime })
      }
      number += 1
      return { writer, number, records, repetitions: [...repetitions.values()] }
    },
  }
}

/** The form of an id of an impersonation: a SHA-256, base64url. */
const ROW_ID = /^[\w-]{43}$/

/**
 * The row of an entry: the impersonation, or for a refused request without one a row of its own.
 *
 * @param name a text that no other entry has
 */
export function rowOf({ event, id, subject }: AuditEntry, name: string): string | undefined {
  const isRefusal = event === 'impersonation.denied' || event === 'support.refused'
  const isAct = event.startsWith('support.')
  // In a denial, an id without a subject is what the request asked for, and belongs to no token.
  if (id !== undefined && ROW_ID.test(id) && (isAct || subject !== undefined)) return id
  return isRefusal ? digestOf(name) : undefined
}
