import type { Batch } from '../../batch.ts'
import type { Condition } from '../row-columns.ts'
import type { ResultRow } from '../stored-columns.ts'

/** One statement, with `?` for each value. */
export interface SqlQuery {
  readonly text: string
  readonly values: readonly (string | number | null)[]
}

/**
 * The work of a transaction: it yields statements, and is given what the last of them found. So one
 * body serves a driver that is synchronous and one that is not. Statements that are yielded together
 * do not see what the others change.
 */
export type Steps<T> = Generator<readonly SqlQuery[], T, readonly ResultRow[]>

/**
 * What a transaction does: it adds entries, or it removes some and adds none. Those that add do not wait for those
 * that remove, but where both want one row.
 */
export type TransactionKind = 'add' | 'remove'

/** Name and type of a column. `bigint` is a whole number below 2^53. */
export type Column = readonly [name: string, type: 'bigint' | 'text']

/** What SQLite and PostgreSQL do differently. */
export interface SqlDialect {
  /** Functions: the greater of two numbers; rows as a JSON array; values as a JSON array. */
  readonly functions: {
    readonly greater: string
    readonly jsonArray: string
    readonly jsonTuple: string
  }
  /** The tables that exist, in a column `name`. The value is a JSON array of names. */
  readonly existing: string
  /** A query: the texts of a JSON array. */
  readonly texts: string
  /** JSON of a column `data`, as the database has it: what is made of the text that `?` stands for. */
  readonly json: string
  /** Conditions on rows: each of the words begins one of theirs. */
  readonly matching: {
    /** Looks at the row. */
    inRow(words: readonly string[]): Condition
    /** Looks at the index of words, and finds so many rows at least, where there are so many. */
    byIndex(words: readonly string[], limit: number): Condition
  }
  /** What differs from the tables that the migrations make, in words. */
  differences(): Promise<readonly string[]>
  /** A condition: the column is one of what the query finds, which are few. */
  isIn(column: string, query: string): string
  /**
   * Behind a query in a transaction: what it finds does not change before the transaction ends. Where another
   * one has it, it waits, or leaves it out.
   */
  readonly locked: { readonly wait: string; readonly skip: string }
  /** A table of what is in a JSON array of objects. */
  recordsOf(columns: readonly Column[]): string

  /** Makes the storage usable, but for the tables. */
  open(): Promise<void>
  /** Closes what `open` opened. */
  close(): Promise<void>
  read(query: SqlQuery): Promise<ResultRow[]>
  /** The same by an index alone, in its order, or that of words: `matching.byIndex`. It reads no other row. */
  readByIndex(query: SqlQuery): Promise<ResultRow[]>
  /**
   * Stores all that the steps write, or nothing. Of all processes, one has a transaction of a kind at a time.
   *
   * @param steps may be called again, where nothing of an attempt is stored
   */
  inTransaction<T>(kind: TransactionKind, steps: () => Steps<T>): Promise<T>
  /**
   * Appends a batch without a transaction of several statements, where that is possible.
   *
   * @returns whether it is stored; if not, nothing was changed
   */
  appendAtOnce?(batch: Batch): Promise<boolean>
  /** Overwrites what was removed where a file still has it. */
  overwriteRemoved?(): Promise<void>
  /** Why the database refuses a value; `undefined` for every other error. */
  refusalOf(error: unknown): string | undefined
}
