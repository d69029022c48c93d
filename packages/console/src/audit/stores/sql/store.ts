import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import type { Batch } from '../../batch.ts'
import type { AuditStore, RowFilter } from '../../store.ts'
import { foldingOnly, UnstorableError } from '../../unstorable.ts'
import { earlierKeysOf, entriesOf, rowIdsOf, rowsOf, withoutGone } from '../batch-columns.ts'
import { parseIdCursor, parseNumberCursor, rowCursor } from '../cursor.ts'
import { endOfWords, MAX_ROWS_BY_WORD, wordsOf } from '../filter.ts'
import {
  type Condition,
  columnsOf,
  conditionsOf,
  filedPageOf,
  isRowId,
  parseRow,
  wordColumnsOf,
  wordsBeside,
} from '../row-columns.ts'
import { headOf, numberIn, type ResultRow, storedEntryOf, textIn } from '../stored-columns.ts'
import type { SqlDialect, SqlQuery, Steps } from './dialect.ts'
import { orderOf } from './order.ts'
import { sqlPermits } from './permits.ts'
import { addRemoved, removedFrom } from './removed.ts'
import { statementsOf } from './statements.ts'
import { createTables } from './tables.ts'

/** Rows that one transaction removes: other processes wait as long as it takes. */
const REMOVED_AT_ONCE = 50

type Value = SqlQuery['values'][number]

/** What stands behind `FROM`, and the values of its range. */
interface Source {
  readonly from: string
  readonly range: readonly Value[]
}

/** Keeps the audit in a SQL database. Without its `open`: see {@link createTables}. */
export function sqlStore(dialect: SqlDialect, keepFor: number | undefined): AuditStore {
  const statements = statementsOf(dialect)
  const read = (text: string, ...values: Value[]) => dialect.read({ text, values })

  /**
   * What is removed or written by others does not change before the transaction ends: the rows are locked before
   * anything is read of them or of their entries.
   */
  function* append(batch: Batch): Steps<readonly string[]> {
    const { writer, number, records } = batch
    const last = records.at(-1)
    const link = [last?.sequence ?? null, last?.hash ?? null]
    const fresh = yield [query(statements.writeBatch, writer, number, ...link)]
    const found = yield [query(statements.lockedRows, JSON.stringify(rowIdsOf(batch)))]
    const gone = yield* missingKeys(earlierKeysOf(batch))
    if (fresh.length > 0) yield* write(withoutGone(batch, gone), found)
    return gone
  }

  /** Those of the repeat keys that no entry has. */
  function* missingKeys(keys: readonly string[]): Steps<readonly string[]> {
    if (keys.length === 0) return []
    const found = yield [query(statements.storedKeys, JSON.stringify(keys))]
    const stored = new Set(found.map((columns) => textIn(columns, 'repeat_key')))
    return keys.filter((key) => !stored.has(key))
  }

  /** @param found the rows of the batch, and others */
  function* write(batch: Batch, found: readonly ResultRow[]): Steps<void> {
    const [rows, before] = foldingOnly(() => {
      const ids = new Set(rowIdsOf(batch))
      const stored = found.map(({ data }) => parseRow(data)).filter(({ id }) => ids.has(id))
      return [rowsOf(batch, stored), wordColumnsOf(stored.map(columnsOf))] as const
    })
    const words = wordColumnsOf(rows)
    const [added, gone] = [wordsBeside(words, before), wordsBeside(before, words)]
    const { entries, counts } = entriesOf(batch)
    const all = [
      entries.length === 0
        ? []
        : query(statements.writeEntries, batch.writer, JSON.stringify(entries)),
      counts.length === 0 ? [] : query(statements.writeCounts, JSON.stringify(counts)),
      rows.length === 0 ? [] : query(statements.writeRows, JSON.stringify(rows)),
      added.length === 0 ? [] : query(statements.writeWords, JSON.stringify(added)),
      gone.length === 0 ? [] : query(statements.removeWords, JSON.stringify(gone)),
    ].flat()
    if (all.length > 0) yield all
  }

  function* remove(before: number, limit: number): Steps<number> {
    const old = yield [query(statements.oldRows, before, limit)]
    const over = yield [query(statements.overPermits, before, limit)]
    const idsOf = (found: typeof old) => found.map((columns) => textIn(columns, 'id'))
    yield [query(statements.removeWords, JSON.stringify(wordColumnsOf(old)))]
    const rows = yield [query(statements.removeRows, JSON.stringify(idsOf(old)))]
    const permits = yield [query(statements.removePermits, JSON.stringify(idsOf(over)))]
    const ids = JSON.stringify([...idsOf(old), ...idsOf(over)])
    const entries = yield [query(statements.removeEntries, ids)]
    const alone = yield [query(statements.removeAlone, before, before, limit)]
    yield* addRemoved(statements, [...entries, ...alone])
    return rows.length + permits.length + entries.length + alone.length
  }

  function* removeRow(id: string, mayGo: (row: AuditRow) => boolean): Steps<boolean> {
    const [found] = yield [query(statements.searchedRow, id)]
    if (!found || !mayGo(parseRow(found.data))) return false
    const ids = JSON.stringify([id])
    yield [query(statements.removeWords, JSON.stringify(wordColumnsOf([found])))]
    yield [query(statements.removeRows, ids)]
    yield* addRemoved(statements, yield [query(statements.removeEntries, ids)])
    return true
  }

  /** The rows that can match a filter, all or those with its rarest word; `undefined` where none can. */
  async function findSource({ text }: RowFilter): Promise<Source | undefined> {
    const all = { from: statements.rowTable, range: [] }
    if (text === undefined) return all
    const ranges = wordsOf(text).map((word) => [word, endOfWords(word)])
    if (ranges.length === 0) return undefined
    const [counted = {}] = await read(statements.wordCounts(ranges.length), ...ranges.flat())
    const counts = ranges.map((range, index) => ({
      range,
      count: numberIn(counted, `count${index}`),
    }))
    const [rarest] = counts.toSorted((a, b) => a.count - b.count)
    if (!rarest || rarest.count > MAX_ROWS_BY_WORD) return all
    return rarest.count === 0 ? undefined : { from: statements.rowsByWord, range: rarest.range }
  }

  async function rows(ids: readonly string[]): Promise<readonly AuditRow[]> {
    const found = await read(statements.storedRows, JSON.stringify(ids.filter(isRowId)))
    return found.map(({ data }) => parseRow(data))
  }

  // Methods are async, so that an exception becomes a rejection.
  return {
    keepFor,
    ...sqlPermits(dialect),

    async open() {
      await dialect.open()
    },

    async append(batch) {
      try {
        if (await dialect.appendAlone?.(batch)) return []
        return await dialect.inTransaction('add', () => append(batch))
      } catch (error) {
        const refusal = dialect.refusalOf(error)
        throw refusal === undefined ? error : new UnstorableError(refusal, { cause: error })
      }
    },

    async find(filter, { before, limit, now, oldestFirst }) {
      const conditions = conditionsOf(filter, now, dialect.functions.position)
      const { order, isBeyond } = orderOf(oldestFirst)
      if (before !== undefined) conditions.push(isBeyond(before))
      const source = await findSource(filter)
      if (!source) return { rows: [], next: undefined }
      const { where, values } = whereOf(conditions)
      const text = statements.rows(source.from, where, order)
      const found = await read(text, ...source.range, ...values, limit + 1)
      const rows = found.slice(0, limit).map(({ data }) => parseRow(data))
      const last = rows.at(-1)
      return { rows, next: found.length > limit && last ? rowCursor(last) : undefined }
    },

    async countNewer(filter, { at, id }, now) {
      const newer = { sql: '(at, id) > (CAST(? AS bigint), ?)', values: [at, id] }
      const conditions = conditionsOf(filter, now, dialect.functions.position)
      const { where, values } = whereOf([...conditions, newer])
      const source = await findSource(filter)
      if (!source) return 0
      const [counted] = await read(
        statements.counted(source.from, where),
        ...source.range,
        ...values,
      )
      return counted ? numberIn(counted, 'count') : 0
    },

    async row(id) {
      const [found] = await rows([id])
      return found
    },

    rows,

    async filedRows({ after, limit, only }) {
      if (only !== undefined && !isRowId(only)) return { rows: [], next: undefined }
      const id = only ?? (after === undefined ? '' : parseIdCursor(after))
      const comparison = only === undefined ? (after === undefined ? '>=' : '>') : '='
      return filedPageOf(await read(statements.filedRows(comparison), id, limit + 1), limit)
    },

    async timeline(id, { after, limit }) {
      const number = numberOf(after)
      if (!isRowId(id)) return []
      return (await read(statements.timeline, id, number, limit)).map(storedEntryOf)
    },

    async timelines(ids, { after, limit }) {
      const rows = ids.map((id, place) => ({ place, wanted: isRowId(id) ? id : '' }))
      const values = [JSON.stringify(rows), numberOf(after), limit]
      return (await read(statements.timelines, ...values)).map(storedEntryOf)
    },

    async entries({ after, limit }) {
      return (await read(statements.entries, numberOf(after), limit)).map(storedEntryOf)
    },

    async newest() {
      const [found] = await read(statements.newest)
      return found ? textIn(found, 'cursor') : undefined
    },

    heads: async () => (await read(statements.heads)).map(headOf),

    async remove(before, limit) {
      let removed = 0
      for (let left = limit; left > 0; left -= REMOVED_AT_ONCE) {
        const some = Math.min(left, REMOVED_AT_ONCE)
        const count = await dialect.inTransaction('remove', () => remove(before, some))
        removed += count
        if (count === 0) break
      }
      return removed
    },

    async removeRow(id, mayGo) {
      return isRowId(id) && dialect.inTransaction('remove', () => removeRow(id, mayGo))
    },

    async overwriteRemoved() {
      await dialect.overwriteRemoved?.()
    },

    removed: async () => removedFrom(await read(statements.removed)),

    async keepCheckpoint(jws, time) {
      await dialect.inTransaction('add', function* keep(): Steps<void> {
        yield [query(statements.keepCheckpoint, time, jws)]
      })
    },

    checkpoints: async (limit) =>
      (await read(statements.checkpoints, limit)).map((found) => textIn(found, 'jws')),

    async close() {
      await dialect.close()
    },
  }
}

function query(text: string, ...values: Value[]): SqlQuery {
  return { text, values }
}

function numberOf(cursor: string | undefined): number {
  return cursor === undefined ? 0 : parseNumberCursor(cursor)
}

function whereOf(conditions: readonly Condition[]): { where: string; values: Value[] } {
  return {
    where: conditions.map(({ sql }) => sql).join(' AND ') || 'true',
    values: conditions.flatMap(({ values }) => values),
  }
}
