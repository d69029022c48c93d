import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import { sharedRead } from '../../../kernel/shared-read.ts'
import type { Batch } from '../../batch.ts'
import type { AuditStore } from '../../store.ts'
import { foldingOnly, UnstorableError } from '../../unstorable.ts'
import { earlierKeysOf, entriesOf, foldBatch, rowIdsOf, withoutGone } from '../batch-columns.ts'
import { parseIdCursor, parseNumberCursor } from '../cursor.ts'
import { columnsOf, filedPageOf, isRowId, parseRow } from '../row-columns.ts'
import { headOf, type ResultRow, storedEntryOf, textIn } from '../stored-columns.ts'
import type { SqlDialect, SqlQuery, Steps } from './dialect.ts'
import { assertSchema } from './migrations.ts'
import { sqlPermits } from './permits.ts'
import { query } from './query.ts'
import { addRemoved, removedFrom, removeOne } from './removed.ts'
import { sqlSearch } from './search.ts'
import { statementsOf } from './statements.ts'

/** Rows that one transaction removes: other processes wait as long as it takes. */
const REMOVED_AT_ONCE = 50

type Value = SqlQuery['values'][number]

/** Keeps the audit in a SQL database. Without its `open`: see `migrate`. */
export function sqlStore(dialect: SqlDialect, keepFor: number | undefined): AuditStore {
  const statements = statementsOf(dialect)
  const permits = sqlPermits(dialect)
  const read = (text: string, ...values: Value[]) => dialect.read(query(text, ...values))

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
    const ids = new Set(rowIdsOf(batch))
    const stored = foldingOnly(() => found.map(({ data }) => parseRow(data)))
    const rows = foldBatch(
      batch,
      stored.filter(({ id }) => ids.has(id)),
    ).map(columnsOf)
    const { entries, counts } = entriesOf(batch)
    const all = [
      entries.length === 0
        ? []
        : query(statements.writeEntries, batch.writer, JSON.stringify(entries)),
      counts.length === 0 ? [] : query(statements.writeCounts, JSON.stringify(counts)),
      rows.length === 0 ? [] : query(statements.writeRows, JSON.stringify(rows)),
    ].flat()
    if (all.length > 0) yield all
  }

  function* remove(before: number, limit: number): Steps<number> {
    const old = yield [query(statements.oldRows, before, limit)]
    const over = yield [query(statements.overPermits, before, limit)]
    const idsOf = (found: typeof old) => found.map((columns) => textIn(columns, 'id'))
    const rows = yield [query(statements.removeRows, JSON.stringify(idsOf(old)))]
    const permits = yield [query(statements.removePermits, JSON.stringify(idsOf(over)))]
    const ids = JSON.stringify([...idsOf(old), ...idsOf(over)])
    const entries = yield [query(statements.removeEntries, ids)]
    const alone = yield [query(statements.removeAlone, before, before, limit)]
    yield* addRemoved(statements, [...entries, ...alone])
    return rows.length + permits.length + entries.length + alone.length
  }

  /** What the database refuses because of what is in it is refused for ever. */
  async function storing<T>(write: () => Promise<T>): Promise<T> {
    try {
      return await write()
    } catch (error) {
      const refusal = dialect.refusalOf(error)
      throw refusal === undefined ? error : new UnstorableError(refusal, { cause: error })
    }
  }

  async function rows(ids: readonly string[]): Promise<readonly AuditRow[]> {
    const found = await read(statements.storedRows, JSON.stringify(ids.filter(isRowId)))
    return found.map(({ data }) => parseRow(data))
  }

  // Methods are async, so that an exception becomes a rejection.
  return {
    keepFor,
    ...permits,
    ...sqlSearch(dialect),

    async open() {
      await dialect.open()
    },

    assertSchema: () => sharedRead(dialect, () => assertSchema(dialect)),

    append: (batch) =>
      storing(async () => {
        if (await dialect.appendAtOnce?.(batch)) return []
        return dialect.inTransaction('add', () => append(batch))
      }),

    decide: (decision) => storing(() => permits.decide(decision)),

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

    async erasures(since) {
      return (await read(statements.erasures, since)).map(storedEntryOf)
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
      const one = { id, locked: statements.lockedRows, remove: statements.removeRows }
      const may = ({ data }: ResultRow) => mayGo(parseRow(data))
      return isRowId(id) && dialect.inTransaction('remove', () => removeOne(statements, one, may))
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

function numberOf(cursor: string | undefined): number {
  return cursor === undefined ? 0 : parseNumberCursor(cursor)
}
