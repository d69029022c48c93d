// Over 250 lines: the whole contract of a store, on Maps.

import {
  type AuditRow,
  type ChainHead,
  fold,
  foldRepetition,
  type Happening,
} from 'oidc-provider-impersonation-verify/format'
import { isKeptForEver, type NewRecord } from '../../batch.ts'
import { isConditional } from '../../missing.ts'
import type { AuditStore, StoredEntry } from '../../store.ts'
import { assertTimes, foldingOnly } from '../../unstorable.ts'
import { earlierKeysOf, rowIdsOf, rowsOf } from '../batch-columns.ts'
import {
  comparePositions,
  idCursor,
  parseIdCursor,
  parseNumberCursor,
  parseRowCursor,
  rowCursor,
} from '../cursor.ts'
import { matcher } from '../filter.ts'
import { Permits } from './permits.ts'
import { removedFrom } from './removed.ts'
import { RowsByWord } from './rows-by-word.ts'

export interface MemoryAuditOptions {
  /** How long a row is kept after its last entry, in seconds. @defaultValue for ever */
  readonly keepFor?: number | undefined
  /**
   * The largest number of rows: 1 or more. When there are more, the oldest that are not on hold go,
   * with their entries. Of each entry that goes, writer, sequence, digest and hash stay (about 300
   * bytes). As many permits are kept besides, and more where these are not over.
   * @defaultValue 10,000
   */
  readonly capacity?: number | undefined
}

/** An entry as it is kept. Its cursor is its place in the list of all, from 1. */
interface Kept extends Omit<StoredEntry, 'cursor'> {
  text: string | undefined
  count: number
  lastTime: number | undefined
  readonly time: number
  readonly repeatKey: string | undefined
}

/** How many newer rows are counted at most. */
const MAX_NEWER = 100
/** How many checkpoints are kept. */
const MAX_CHECKPOINTS = 100

/**
 * Keeps the audit in the memory of this process: for demonstrations and tests. It is empty after a
 * restart, and other processes do not see it.
 *
 * @throws TypeError for an option that is out of its bounds
 */
export function createMemoryAudit(options: MemoryAuditOptions = {}): AuditStore {
  const { keepFor, capacity = 10_000 } = options
  if (!Number.isSafeInteger(capacity) || capacity < 1) {
    throw new TypeError('capacity must be a whole number, 1 or more')
  }
  if (keepFor !== undefined && !(Number.isFinite(keepFor) && keepFor > 0)) {
    throw new TypeError('keepFor must be a number of seconds, more than 0')
  }
  const all: Kept[] = []
  const rows = new Map<string, AuditRow>()
  const byWord = new RowsByWord()
  const permits = new Permits()
  /** The numbers of the entries of each row that are still there; under `undefined`, of no row. */
  const entriesOf = new Map<string | undefined, number[]>()
  const repeated = new Map<string, Kept>()
  const written = new Map<string, number>()
  const heads = new Map<string, ChainHead>()
  let checkpoints: { readonly jws: string; readonly time: number }[] = []
  /** All rows, newest first; `undefined` where it has to be sorted again. */
  let sorted: AuditRow[] | undefined

  function newestFirst(): readonly AuditRow[] {
    sorted ??= [...rows.values()].sort((a, b) => comparePositions(b, a))
    return sorted
  }

  function add(writer: string, record: NewRecord): void {
    const { sequence, text, digest, hash, row, repeatKey, entry } = record
    const { time } = entry
    const [count, lastTime] = [1, undefined]
    const kept = { writer, sequence, text, digest, hash, row, repeatKey, time, count, lastTime }
    all.push(kept)
    if (!isKeptForEver(record)) {
      entriesOf.set(row, entriesOf.get(row) ?? [])
      entriesOf.get(row)?.push(all.length)
    }
    if (repeatKey !== undefined) repeated.set(repeatKey, kept)
    heads.set(writer, { writer, sequence, hash })
  }

  function addToRow(id: string, happening: Happening): void {
    keepRow(fold(rows.get(id), id, happening))
  }

  /** Newest first: all, or fewer where those without a word of the text are left out. */
  function candidatesFor(text: string | undefined): readonly AuditRow[] {
    const ids = text === undefined ? undefined : byWord.withRarest(text)
    if (!ids) return newestFirst()
    return ids.flatMap((id) => rows.get(id) ?? []).sort((a, b) => comparePositions(b, a))
  }

  function keepRow(row: AuditRow): void {
    byWord.move(rows.get(row.id), row)
    rows.set(row.id, row)
    sorted = undefined
  }

  function storedAt(number: number): StoredEntry | undefined {
    const kept = all[number - 1]
    if (!kept) return undefined
    const { time: _, repeatKey: __, ...entry } = kept
    return { cursor: String(number), ...entry }
  }

  /** Removes the texts of entries. Returns how many there were. */
  function removeEntries(row: string | undefined, numbers: readonly number[]): number {
    for (const number of numbers) {
      const kept = all[number - 1]
      if (!kept) continue
      kept.text = undefined
      if (kept.repeatKey !== undefined) repeated.delete(kept.repeatKey)
    }
    const gone = new Set(numbers)
    const left = (entriesOf.get(row) ?? []).filter((number) => !gone.has(number))
    if (left.length > 0) entriesOf.set(row, left)
    else entriesOf.delete(row)
    return numbers.length
  }

  /** Returns how many rows and entries it removed. */
  function removeRows(ids: readonly string[]): number {
    let removed = 0
    for (const id of ids) {
      byWord.move(rows.get(id), undefined)
      rows.delete(id)
      removed += 1 + removeEntries(id, entriesOf.get(id) ?? [])
    }
    sorted = undefined
    return removed
  }

  /** Returns how many permits and entries it removed. */
  function removePermits(ids: readonly string[]): number {
    let removed = 0
    for (const id of ids) {
      permits.delete(id)
      removed += 1 + removeEntries(id, entriesOf.get(id) ?? [])
    }
    return removed
  }

  function keepWithinCapacity(): void {
    const excess = rows.size - capacity
    if (excess > 0) {
      const oldest = newestFirst().toReversed().filter(isFree).slice(0, excess)
      removeRows(oldest.map(({ id }) => id))
    }
    const ofNoRow = entriesOf.get(undefined) ?? []
    if (ofNoRow.length > capacity) removeEntries(undefined, ofNoRow.slice(0, -capacity))
  }

  return {
    keepFor,
    removesEarly: true,
    async open() {},
    async append(batch) {
      assertTimes(batch)
      const { writer, number, records, repetitions } = batch
      const gone = earlierKeysOf(batch).filter((key) => !repeated.has(key))
      if ((written.get(writer) ?? 0) >= number) return gone
      if (records.some(({ entry }) => isConditional(entry))) {
        foldingOnly(() =>
          rowsOf(
            batch,
            rowIdsOf(batch).flatMap((id) => rows.get(id) ?? []),
          ),
        )
      }
      written.set(writer, number)
      for (const record of records) {
        add(writer, record)
        const { row: id, entry } = record
        if (id !== undefined) addToRow(id, { entry, count: 1, lastTime: entry.time })
      }
      for (const { repeatKey, row: id, ...repetition } of repetitions) {
        const kept = repeated.get(repeatKey)
        if (!kept) continue
        kept.lastTime = Math.max(kept.lastTime ?? kept.time, repetition.lastTime)
        kept.count += repetition.count
        const row = id === undefined ? undefined : rows.get(id)
        if (row) keepRow(foldRepetition(row, repetition))
      }
      keepWithinCapacity()
      return gone
    },
    async decide(decision) {
      const { batch, permit } = decision
      assertTimes(batch)
      const { writer, number, records } = batch
      if ((written.get(writer) ?? 0) >= number) return true
      if (!permits.isUpToDate(decision)) return false
      written.set(writer, number)
      for (const record of records) add(writer, record)
      permits.keep(permit)
      const time = records.at(-1)?.entry.time ?? permit.at
      removePermits(permits.overBefore(time, permits.excessOver(capacity)))
      return true
    },
    permit: async (id) => permits.get(id),
    slotHolder: async (slot) => permits.slotHolder(slot),
    permits: async (filter, page) => permits.find(filter, page),
    async find(filter, { before, limit, now }) {
      const after = before === undefined ? undefined : parseRowCursor(before)
      const matches = matcher(filter, now)
      const found: AuditRow[] = []
      for (const row of candidatesFor(filter.text)) {
        if (after && comparePositions(row, after) >= 0) continue
        if (!matches(row)) continue
        found.push(row)
        if (found.length > limit) break
      }
      const page = found.slice(0, limit)
      const last = page.at(-1)
      const next = found.length > limit && last ? rowCursor(last) : undefined
      return { rows: structuredClone(page), next }
    },
    async countNewer(filter, than, now) {
      const matches = matcher(filter, now)
      let count = 0
      for (const row of candidatesFor(filter.text)) {
        if (count >= MAX_NEWER || comparePositions(row, than) <= 0) break
        if (matches(row)) count += 1
      }
      return count
    },
    async row(id) {
      return structuredClone(rows.get(id))
    },
    async rowIds({ after, limit }) {
      const start = after === undefined ? '' : parseIdCursor(after)
      const ids = [...rows.keys()].filter((id) => id > start).toSorted()
      const page = ids.slice(0, limit)
      const last = page.at(-1)
      return {
        rows: page.map((id) => ({ id, isMisfiled: false })),
        next: ids.length > limit && last !== undefined ? idCursor(last) : undefined,
      }
    },
    async timeline(id, { after, limit }) {
      const start = after === undefined ? 0 : parseNumberCursor(after)
      return (entriesOf.get(id) ?? [])
        .filter((number) => number > start)
        .slice(0, limit)
        .flatMap((number) => storedAt(number) ?? [])
    },
    async entries({ after, limit }) {
      const start = after === undefined ? 0 : parseNumberCursor(after)
      return all
        .slice(start, start + limit)
        .flatMap((_, index) => storedAt(start + index + 1) ?? [])
    },
    async newest() {
      return all.length > 0 ? String(all.length) : undefined
    },
    async heads() {
      return [...heads.values()]
    },
    async remove(before, limit) {
      const old = [...rows.values()]
        .filter((row) => isFree(row) && row.lastAt < before)
        .sort((a, b) => comparePositions({ ...a, at: a.lastAt }, { ...b, at: b.lastAt }))
      const ofNoRow = (entriesOf.get(undefined) ?? []).filter((number) => {
        const kept = all[number - 1]
        return kept !== undefined && (kept.lastTime ?? kept.time) < before
      })
      return (
        removeRows(old.slice(0, limit).map(({ id }) => id)) +
        removePermits(permits.overBefore(before, limit)) +
        removeEntries(undefined, ofNoRow.slice(0, limit))
      )
    },
    async removeRow(id, mayGo) {
      const row = rows.get(id)
      if (!row || !mayGo(structuredClone(row))) return false
      removeRows([id])
      return true
    },
    async removePermit(id, mayGo) {
      const permit = permits.get(id)
      if (!permit || !mayGo(permit)) return false
      removePermits([id])
      return true
    },
    removed: async () => removedFrom(all),
    async keepCheckpoint(jws, time) {
      checkpoints = [...checkpoints, { jws, time }]
        .sort((a, b) => b.time - a.time)
        .slice(0, MAX_CHECKPOINTS)
    },
    async checkpoints(limit) {
      return checkpoints.slice(0, limit).map(({ jws }) => jws)
    },
    async close() {},
  }
}

/** Whether the row may be removed. */
function isFree({ hold }: AuditRow): boolean {
  return hold?.isHeld !== true
}
