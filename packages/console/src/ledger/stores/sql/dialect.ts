import type { Batch, Removal, Written } from '../../store.ts'
import type { Condition } from '../row-columns.ts'
import type { ResultRow } from '../stored-columns.ts'

/** One statement, with `?` for each value. */
export interface SqlQuery {
  readonly text: string
  readonly values: readonly (string | number | null)[]
}

/** What SQLite and PostgreSQL do differently. */
export interface SqlDialect {
  /** The tables that exist, in a column `name`. The value is a JSON array of names. */
  readonly existing: string
  /** A query: the texts of a JSON array, in a column `value`, with their places in a column `place`. */
  readonly texts: string
  /** Conditions on rows: each of the words begins one of theirs. */
  readonly matching: {
    /** Looks at the row. */
    inRow(words: readonly string[]): Condition
    /** Looks at the index of words, and finds so many rows at least, where there are so many. */
    byIndex(words: readonly string[], limit: number): Condition
  }
  /** What differs from the tables that the migrations make, in words. */
  differences(): Promise<readonly string[]>
  /** A condition: the column is one of the texts of a JSON array, which are few. */
  isIn(column: string): string
  /** Whether JSON was written by the store: the database may read another member of it than JSON.parse. */
  isCanonical(text: string, value: unknown): boolean

  /** Makes the storage usable, but for the tables. */
  open(): Promise<void>
  /** Closes what `open` opened. */
  close(): Promise<void>
  read(query: SqlQuery): Promise<ResultRow[]>
  /** The same by an index alone, in its order, or that of words: `matching.byIndex`. It reads no other row. */
  readByIndex(query: SqlQuery): Promise<ResultRow[]>
  /** Runs statements in a transaction, under the lock of writers, where the query finds nothing. */
  create(statements: readonly string[], unless: SqlQuery): Promise<void>
  deadlineIn(withinMs: number): number
  write(batch: Batch, deadline: number): Promise<Written>
  remove(removal: Removal): Promise<number>
  /** Overwrites what was removed where a file still has it. */
  overwriteRemoved?(): Promise<void>
  /** Why the database refuses a value; `undefined` for every other error. */
  refusalOf(error: unknown): string | undefined
}
