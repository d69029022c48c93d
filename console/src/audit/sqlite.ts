import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { entriesOf, rowIdsOf, rowsOf } from './batch-columns.ts'
import { parseNumberCursor, parseRowCursor, rowCursor } from './cursor.ts'
import { keepForOf } from './keep-for.ts'
import { type Condition, conditionsOf, ROW_COLUMNS, rowOf } from './row-columns.ts'
import { inTransaction, openDatabase, ROW } from './sqlite-database.ts'
import * as statements from './sqlite-statements.ts'
import type { AuditStore, Batch } from './store.ts'
import {
  headOf,
  isResultRow,
  numberIn,
  type ResultRow,
  removedFromOf,
  storedEntryOf,
  textIn,
} from './stored-columns.ts'

/** Options of {@link createSqliteAudit}. */
export interface SqliteAuditOptions {
  /**
   * A path, made if it is not there (its folder has to be), on a local disk. It may be the file of
   * `createSqliteAdapter`.
   */
  readonly file: string
  /**
   * How long an impersonation is kept after its last entry, in seconds: a whole number, 1 or more.
   *
   * @defaultValue for ever
   */
  readonly keepFor?: number | undefined
}

/** At most so many are counted. */
const MAX_COUNTED = 100
/** Rows that one transaction removes: other processes wait as long as it takes. */
const REMOVED_AT_ONCE = 50

/**
 * Keeps the audit in one file, with node:sqlite (Node 22.13 or later): durable on one machine, and
 * safe for several processes there. Readers and writers of other processes wait for one batch at most.
 *
 * @example
 * audit: createSqliteAudit({ file: 'data/audit.db' })
 *
 * @throws TypeError when an option is wrong.
 */
export function createSqliteAudit(options: SqliteAuditOptions): AuditStore {
  const { file } = options
  if (typeof file !== 'string' || file === '') {
    throw new TypeError('createSqliteAudit: file must be a path')
  }
  const keepFor = keepForOf(options, 'createSqliteAudit')
  let database: DatabaseSync | undefined

  const opened = () => {
    if (database) return database
    throw new Error('the audit is not open')
  }
  const read = (text: string, ...values: SQLInputValue[]): ResultRow[] =>
    opened()
      .prepare(text)
      .all(...values)
      .filter(isResultRow)

  // The methods are async, so that an exception of node:sqlite becomes a rejection.
  return {
    keepFor,

    async open() {
      database ??= await openDatabase(file)
    },

    async append(batch) {
      await inTransaction(opened(), () => append(opened(), batch))
    },

    async find(filter, { before, limit, now }) {
      const conditions = conditionsOf(filter, now, 'instr')
      if (before !== undefined) {
        const { at, id } = parseRowCursor(before)
        conditions.push({ sql: '(at, id) < (?, ?)', values: [at, id] })
      }
      const { where, values } = whereOf(conditions)
      const found = read(
        `SELECT data FROM ${ROW} WHERE ${where} ORDER BY at DESC, id DESC LIMIT ?`,
        ...values,
        limit + 1,
      )
      const rows = found.slice(0, limit).map(({ data }) => rowOf(data))
      const last = rows.at(-1)
      return { rows, next: found.length > limit && last ? rowCursor(last) : undefined }
    },

    async countNewer(filter, { at, id }, now) {
      const newer = { sql: '(at, id) > (?, ?)', values: [at, id] }
      const { where, values } = whereOf([...conditionsOf(filter, now, 'instr'), newer])
      const [counted] = read(
        `SELECT count(*) AS count FROM (SELECT 1 FROM ${ROW} WHERE ${where} LIMIT ${MAX_COUNTED})`,
        ...values,
      )
      return counted ? numberIn(counted, 'count') : 0
    },

    async row(id) {
      const [found] = read(statements.STORED_ROW, id)
      return found ? rowOf(found.data) : undefined
    },

    async timeline(id, { after, limit }) {
      return read(statements.TIMELINE, id, numberOf(after), limit).map(storedEntryOf)
    },

    async entries({ after, limit }) {
      return read(statements.ENTRIES, numberOf(after), limit).map(storedEntryOf)
    },

    async newest() {
      const [found] = read(statements.NEWEST)
      return found ? textIn(found, 'cursor') : undefined
    },

    heads: async () => read(statements.HEADS).map(headOf),

    async remove(before, limit) {
      let removed = 0
      for (let left = limit; left > 0; left -= REMOVED_AT_ONCE) {
        const some = Math.min(left, REMOVED_AT_ONCE)
        const count = await inTransaction(opened(), () => remove(opened(), before, some))
        removed += count
        if (count === 0) break
      }
      return removed
    },

    removed: async () => read(statements.REMOVED).map(removedFromOf),

    async keepCheckpoint(jws, time) {
      await inTransaction(opened(), () => read(statements.KEEP_CHECKPOINT, time, jws))
    },

    checkpoints: async (limit) =>
      read(statements.CHECKPOINTS, limit).map((found) => textIn(found, 'jws')),

    async close() {
      database?.close()
      database = undefined
    },
  }
}

/** SQLite has one writer at a time: ids become visible in order, and no row changes meanwhile. */
function append(database: DatabaseSync, batch: Batch): void {
  const { writer, number, records } = batch
  const last = records.at(-1)
  const claim = database.prepare(statements.CLAIM)
  const { changes } = claim.run(writer, number, last?.sequence ?? null, last?.hash ?? null)
  if (Number(changes) === 0) return

  const { entries, counts } = entriesOf(batch)
  const writeEntry = database.prepare(statements.WRITE_ENTRY)
  for (const entry of entries) {
    const { sequence, digest, hash, text, row_id, repeat_key, time, count, last_time } = entry
    const link = [writer, sequence, digest, hash, text]
    writeEntry.run(...link, row_id, repeat_key, time, count, last_time)
  }
  const writeCount = database.prepare(statements.WRITE_COUNT)
  for (const { count, last_time, repeat_key } of counts) {
    writeCount.run(count, last_time, repeat_key)
  }

  const readRow = database.prepare(statements.STORED_ROW)
  const stored = rowIdsOf(batch).flatMap((id) => {
    const found = readRow.get(id)
    return found ? rowOf(found.data) : []
  })
  const writeRow = database.prepare(statements.WRITE_ROW)
  for (const row of rowsOf(batch, stored)) {
    writeRow.run(...ROW_COLUMNS.map(([name]) => row[name]))
  }
}

function remove(database: DatabaseSync, before: number, limit: number): number {
  const removeRow = database.prepare(statements.REMOVE_ROW)
  const removeEntries = database.prepare(statements.REMOVE_ENTRIES)
  let removed = 0
  for (const found of database.prepare(statements.OLD_ROWS).all(before, limit)) {
    const id = textIn(found, 'id')
    removed += Number(removeRow.run(id).changes) + Number(removeEntries.run(id).changes)
  }
  const alone = database.prepare(statements.REMOVE_ALONE).run(before, before, limit)
  return removed + Number(alone.changes)
}

function numberOf(cursor: string | undefined): number {
  return cursor === undefined ? 0 : parseNumberCursor(cursor)
}

function whereOf(conditions: readonly Condition[]): { where: string; values: SQLInputValue[] } {
  return {
    where: conditions.map(({ sql }) => sql).join(' AND ') || 'true',
    values: conditions.flatMap(({ values }) => values),
  }
}
