import type { Batch, Removal, Written } from '../../store.ts'
import type { ResultRow } from '../stored-columns.ts'
import type { Sql } from './sql.ts'

/** The differences of SQLite and PostgreSQL. */
export interface SqlDialect {
  /** Those of the tables of entries and of the schema that exist, in a column `name`. */
  readonly existing: Sql
  /** The texts, in a column `value`, with their places in a column `place`. */
  texts(texts: readonly string[]): Sql
  /** Conditions on rows: each of the words begins one of theirs. */
  readonly matching: {
    /** Looks at the row. */
    inRow(words: readonly string[]): Sql
    /** Looks at the index of words, and finds so many rows at least, where there are so many. */
    byIndex(words: readonly string[], limit: number): Sql
  }
  /** Returns the differences from the tables that the migrations make, in words. */
  differences(): Promise<readonly string[]>
  /** A condition: the column is one of the texts, which are few. */
  isIn(column: Sql, texts: readonly string[]): Sql
  /** Returns true if the store wrote this JSON: the database may read another member of it than JSON.parse. */
  isCanonical(text: string, value: unknown): boolean

  /** Makes the storage usable, but for the tables. */
  open(): Promise<void>
  /** Closes what `open` opened. */
  close(): Promise<void>
  read(query: Sql): Promise<ResultRow[]>
  /** The same by an index alone, in its order, or that of words: `matching.byIndex`. It reads no other row. */
  readByIndex(query: Sql): Promise<ResultRow[]>
  /** Runs statements in a transaction, under the lock of writers, where the query finds nothing. */
  create(statements: readonly string[], unless: Sql): Promise<void>
  deadlineIn(withinMs: number): number
  /** @throws UnstorableError if the database refuses a value */
  write(batch: Batch, deadline: number): Promise<Written>
  remove(removal: Removal): Promise<number>
  /** Overwrites the removed parts that a file still has. */
  overwriteRemoved(): Promise<void>
}
