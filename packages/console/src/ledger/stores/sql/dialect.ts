import type { Batch, Removal, Written } from '../../store.ts'
import type { ResultRow } from '../stored-columns.ts'
import type { Sql } from './sql.ts'

/** What SQLite and PostgreSQL do differently. */
export interface SqlDialect {
  /** The tables that exist of these, in a column `name`. */
  existing(names: readonly string[]): Sql
  /** The texts, in a column `value`, with their places in a column `place`. */
  texts(texts: readonly string[]): Sql
  /** Conditions on rows: each of the words begins one of theirs. */
  readonly matching: {
    /** Looks at the row. */
    inRow(words: readonly string[]): Sql
    /** Looks at the index of words, and finds so many rows at least, where there are so many. */
    byIndex(words: readonly string[], limit: number): Sql
  }
  /** What differs from the tables that the migrations make, in words. */
  differences(): Promise<readonly string[]>
  /** A condition: the column is one of the texts, which are few. */
  isIn(column: Sql, texts: readonly string[]): Sql
  /** Whether JSON was written by the store: the database may read another member of it than JSON.parse. */
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
  write(batch: Batch, deadline: number): Promise<Written>
  remove(removal: Removal): Promise<number>
  /** Overwrites what was removed where a file still has it. */
  overwriteRemoved?(): Promise<void>
  /** Why the database refuses a value; `undefined` for every other error. */
  refusalOf(error: unknown): string | undefined
}
