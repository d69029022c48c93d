import { type AuditRow, fold, foldRepetition } from 'oidc-provider-impersonation-verify/format'
import type { Batch } from '../batch.ts'
import { assertMissing } from '../missing.ts'
import { foldingOnly } from '../unstorable.ts'

/** An entry as the tables of SQL databases keep it. */
export interface EntryColumns {
  readonly sequence: number
  readonly text: string
  readonly digest: string
  readonly hash: string
  readonly row_id: string | null
  readonly repeat_key: string | null
  /** Of the event, in milliseconds since the epoch. */
  readonly time: number
  readonly count: number
  /** Of the last event, where `count` is more than 1. */
  readonly last_time: number | null
}

/** Repetitions of an entry of an earlier batch. */
export interface CountColumns {
  readonly repeat_key: string
  readonly count: number
  readonly last_time: number
}

/** What a batch writes into the table of entries: each repeat key is in one of the lists, and once. */
export interface WrittenEntries {
  readonly entries: readonly EntryColumns[]
  readonly counts: readonly CountColumns[]
}

/** Repetitions of a record of the same batch are counted into it. */
export function entriesOf({ records, repetitions }: Batch): WrittenEntries {
  const repeated = new Map<string, CountColumns>()
  for (const { repeatKey, count, lastTime } of repetitions) {
    const before = repeated.get(repeatKey)
    repeated.set(repeatKey, {
      repeat_key: repeatKey,
      count: count + (before?.count ?? 0),
      last_time: Math.max(lastTime, before?.last_time ?? 0),
    })
  }
  const entries = records.map(({ sequence, text, digest, hash, row, repeatKey, entry }) => {
    const more = repeatKey === undefined ? undefined : repeated.get(repeatKey)
    if (repeatKey !== undefined) repeated.delete(repeatKey)
    return {
      sequence,
      text,
      digest,
      hash,
      row_id: row ?? null,
      repeat_key: repeatKey ?? null,
      time: entry.timeMs,
      count: 1 + (more?.count ?? 0),
      last_time: more ? Math.max(entry.timeMs, more.last_time) : null,
    }
  })
  return { entries, counts: [...repeated.values()] }
}

/** The batch without the repetitions of entries that were removed. */
export function withoutGone(batch: Batch, gone: readonly string[]): Batch {
  if (gone.length === 0) return batch
  const keys = new Set(gone)
  return {
    ...batch,
    repetitions: batch.repetitions.filter(({ repeatKey }) => !keys.has(repeatKey)),
  }
}

/** The repeat keys of a batch that are not those of its own records. */
export function earlierKeysOf({ records, repetitions }: Batch): string[] {
  const own = new Set(records.map(({ repeatKey }) => repeatKey))
  return repetitions.flatMap(({ repeatKey }) => (own.has(repeatKey) ? [] : repeatKey))
}

/** The ids of the rows that a batch changes. */
export function rowIdsOf({ records, repetitions }: Batch): string[] {
  const ids = [...records, ...repetitions].flatMap(({ row }) => row ?? [])
  // Two transactions that write the same rows in the same order cannot wait for each other.
  return [...new Set(ids)].toSorted()
}

/**
 * The rows of {@link rowIdsOf}, as the batch leaves them.
 *
 * @param stored those of them that are stored
 * @throws UnstorableError where an entry does not fit its row: nothing of the batch may be stored
 */
export function foldBatch(batch: Batch, stored: readonly AuditRow[]): AuditRow[] {
  return foldingOnly(() => {
    const rows = new Map(stored.map((row) => [row.id, row]))
    for (const { row, entry } of batch.records) {
      if (row === undefined) continue
      assertMissing(rows.get(row), entry)
      rows.set(row, fold(rows.get(row), row, { entry, count: 1, lastTime: entry.timeMs }))
    }
    for (const { row: id, ...repetition } of batch.repetitions) {
      const row = id === undefined ? undefined : rows.get(id)
      if (row) rows.set(row.id, foldRepetition(row, repetition))
    }
    return rowIdsOf(batch).flatMap((id) => rows.get(id) ?? [])
  })
}
