import { randomUUID } from 'node:crypto'
import { BoundedMap } from 'oidc-provider-impersonation/siblings'
import {
  COUNTED_FOR_MS,
  entryDigestOf,
  hashOf,
  likenessOf,
  rowOf,
} from 'oidc-provider-impersonation-verify/chain'
import { type AuditEntry, encodeEntry } from 'oidc-provider-impersonation-verify/format'
import type { Batch, NewRecord, Repetition } from '../batch.ts'

/** How many entries are remembered, so that events like them are counted. */
const MAX_ENTRIES_REMEMBERED = 10_000
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
  /** Has the chain begin with this entry, before all others. */
  begin(entry: AuditEntry): void
  /** The batch of these entries, which comes after all batches before. */
  next(entries: readonly AuditEntry[]): Batch
  /** The batch of new entries for what could not be counted, since its entry was removed. */
  anew(repetitions: readonly Repetition[]): Batch
  /**
   * Takes the last batch back: the store refused it, and has nothing of it. The next one has its number
   * and its place in the chain.
   */
  undo(): void
  /** An empty batch: with it stored, a late write of any batch before it does nothing. */
  fence(): Batch
  /**
   * Goes on after a batch of which it was not known whether it is stored, and a fence.
   *
   * @param stored the sequence of the last entry of this writer that is stored; 0 for none
   */
  goOnAfter(stored: number): void
}

/** @param remembered how many entries are remembered, so that events like them are counted */
export function batches(remembered = MAX_ENTRIES_REMEMBERED): Batches {
  const writer: string = randomUUID()
  /** By likeness. */
  const known = new BoundedMap<string, Remembered>(remembered)
  let [number, sequence, hash] = [0, 0, writer]
  /** Where the last batch began, and the likenesses of its entries. */
  let last = { number, sequence, hash, likenesses: [] as string[] }
  let beginning: AuditEntry | undefined

  function link(entry: AuditEntry, likeness: string | undefined): NewRecord {
    const text = encodeEntry(entry)
    sequence += 1
    // The writer is part of it: an entry is counted on by its writer alone.
    const name = `${writer}.${sequence}`
    const row = rowOf(entry, name)
    const digest = entryDigestOf(text, row, entry)
    hash = hashOf(hash, digest)
    const repeatKey = likeness === undefined ? undefined : name
    if (likeness !== undefined) {
      known.set(likeness, { repeatKey: name, row, time: entry.timeMs })
      last.likenesses.push(likeness)
    }
    return { sequence, text, digest, hash, entry, row, repeatKey }
  }

  function entryLike(likeness: string | undefined, time: number): Remembered | undefined {
    const found = likeness === undefined ? undefined : known.get(likeness)
    if (likeness === undefined || !found || time - found.time >= COUNTED_FOR_MS) return undefined
    // What is alike all the time is not forgotten.
    known.set(likeness, found)
    return found
  }

  function undo(): void {
    for (const likeness of last.likenesses) known.delete(likeness)
    ;({ number, sequence, hash } = last)
  }

  return {
    writer,
    begin(entry) {
      beginning = entry
    },
    next(entries) {
      last = { number, sequence, hash, likenesses: [] }
      const records = beginning && sequence === 0 ? [link(beginning, undefined)] : []
      const repetitions = new Map<string, Repetition>()
      for (const entry of entries) {
        const likeness = likenessOf(entry)
        const found = entryLike(likeness, entry.timeMs)
        if (!found) {
          records.push(link(entry, likeness))
          continue
        }
        const { repeatKey, row } = found
        const before = repetitions.get(repeatKey)
        const count = (before?.count ?? 0) + 1
        const lastTime = Math.max(before?.lastTime ?? 0, entry.timeMs)
        repetitions.set(repeatKey, { repeatKey, row, entry, count, lastTime })
      }
      number += 1
      return { writer, number, records, repetitions: [...repetitions.values()] }
    },
    anew(gone) {
      last = { number, sequence, hash, likenesses: [] }
      const pairs = gone.map((repetition) => {
        const { entry, count } = repetition
        const record = link(entry, likenessOf(entry))
        const { row, repeatKey = '' } = record
        return { record, more: { ...repetition, row, repeatKey, count: count - 1 } }
      })
      number += 1
      return {
        ...{ writer, number, records: pairs.map(({ record }) => record) },
        repetitions: pairs.flatMap(({ more }) => (more.count > 0 ? more : [])),
      }
    },
    undo,
    fence() {
      number += 1
      return { writer, number, records: [], repetitions: [] }
    },
    goOnAfter(stored) {
      if (stored === sequence) return
      const fenced = number
      undo()
      number = fenced
    },
  }
}
