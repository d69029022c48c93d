import type { SqlQuery, Steps, TransactionKind } from '../sql/dialect.ts'
import { ENTRY_TABLE, REMOVED_TABLE } from '../sql/tables.ts'
import { isResultRow, type ResultRow } from '../stored-columns.ts'

/** A query as `pg` takes it. */
export interface PostgresQuery {
  /** With a name it is prepared once for each connection. */
  name?: string
  text: string
  values?: unknown[]
}

/** The part of a connection of `pg` that is used. */
export interface PostgresSession {
  query(query: PostgresQuery): Promise<{ rows: unknown[] }>
  release(destroy?: boolean): void
  on(event: 'error', listener: (error: Error) => void): unknown
  off(event: 'error', listener: (error: Error) => void): unknown
}

/** The part of a `Pool` of `pg` that is used. */
export interface PostgresPool {
  query(query: PostgresQuery): Promise<{ rows: unknown[] }>
  connect(): Promise<PostgresSession>
}

/** Where statements of their own are sent: a pool, or one of its connections. */
export type PostgresQueries = Pick<PostgresPool, 'query'>

/** Sends statements without their names. */
export function unprepared(pool: PostgresQueries): PostgresQueries {
  return { query: ({ name: _, ...query }) => pool.query(query) }
}

/** Runs the queries as one statement. What it finds is what the last one of them finds. */
export async function rowsOfQuery(
  client: PostgresQueries,
  queries: readonly SqlQuery[],
): Promise<ResultRow[]> {
  const texts = queries.map(({ text }) => text)
  const last = texts.pop() ?? ''
  const others = texts.map((text, index) => `statement_${index} AS (${text})`)
  let number = 0
  const text = (others.length === 0 ? last : `WITH ${others.join(', ')} ${last}`).replaceAll(
    '?',
    () => {
      number += 1
      return `$${number}`
    },
  )
  const { rows } = await client.query({ text, values: queries.flatMap(({ values }) => values) })
  return rows.filter(isResultRow)
}

// The level that a deployment chose for its own work does not matter: under the lock, each statement
// has to see what was committed before. A process that stops in the middle (SIGSTOP, a machine that
// sleeps) would keep the lock: the server ends its transaction.
//
// Ids come from a sequence, which counts before the commit: of two parallel inserts, the later id could
// become visible first, and a reader that goes on from there would never see the other one. The advisory
// lock lasts until the entries are visible, and no other transaction takes an id before. It also keeps a
// row as it was read until it is written. (CREATE TABLE IF NOT EXISTS alone fails in one of two
// processes that start at once.)
//
// What removes takes no id, and locks the rows that it removes. It has another lock, by which removals take
// turns.
const lockOn = (table: string) => `hashtext('oidc-provider-impersonation'), hashtext('${table}')`
export const LOCK_KEYS = lockOn(ENTRY_TABLE)
const beginWith = (keys: string) => `
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL lock_timeout = '10s';
SET LOCAL idle_in_transaction_session_timeout = '10s';
SELECT pg_advisory_xact_lock(${keys})`
const BEGIN_STATEMENTS: Readonly<Record<TransactionKind, string>> = {
  add: beginWith(LOCK_KEYS),
  remove: beginWith(lockOn(REMOVED_TABLE)),
}

// The planner expects what is frequent to meet often, and would read the table until it does, or sort all that is of
// one person. With little memory, the index of words forgets which row of a page it found, and each page is read.
const BEGIN_BY_INDEX = `
BEGIN READ ONLY;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_sort = off;
SET LOCAL jit = off;
SET LOCAL work_mem = '64MB'`

/** Reads by an index, also where the planner would rather read the table, or sort. */
export function readByIndex(pool: PostgresPool, query: SqlQuery): Promise<ResultRow[]> {
  return inSession(pool, async (session) => {
    await session.query({ text: BEGIN_BY_INDEX })
    const rows = await rowsOfQuery(session, [query])
    await session.query({ text: 'COMMIT' })
    return rows
  })
}

/**
 * Runs the steps in a transaction on a connection of its own: all of it is stored, or nothing. Where
 * the result of the commit is unknown, it rejects.
 */
export function inTransaction<T>(
  pool: PostgresPool,
  kind: TransactionKind,
  steps: () => Steps<T>,
): Promise<T> {
  return inSession(pool, async (session) => {
    await session.query({ text: BEGIN_STATEMENTS[kind] })
    const work = steps()
    let step = work.next()
    while (!step.done) step = work.next(await rowsOfQuery(session, step.value))
    await session.query({ text: 'COMMIT' })
    return step.value
  })
}

/** Does the work in a transaction of which nothing is stored. */
export function undone<T>(
  pool: PostgresPool,
  work: (session: PostgresQueries) => Promise<T>,
): Promise<T> {
  return inSession(pool, async (session) => {
    await session.query({ text: 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE' })
    const result = await work(session)
    await session.query({ text: 'ROLLBACK' })
    return result
  })
}

/** Does the work on a connection of its own, which is closed where the work fails. */
async function inSession<T>(
  pool: PostgresPool,
  work: (session: PostgresSession) => Promise<T>,
): Promise<T> {
  const session = await pool.connect()
  // A connection that breaks between two queries would end the process. The next query rejects.
  const ignore = () => {}
  session.on('error', ignore)
  let isUsable = false
  try {
    const result = await work(session)
    isUsable = true
    return result
  } finally {
    session.off('error', ignore)
    // The server rolls back what a closed connection has begun.
    session.release(!isUsable)
  }
}

/** Whether the server answered with it: nothing of the statement is stored. */
export function isServerError(error: unknown): boolean {
  return error instanceof Error && 'severity' in error
}

/**
 * The SQLSTATE where PostgreSQL refuses a value: data exception (22), integrity constraint violation
 * (23), program limit exceeded (54).
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function badDataCodeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error && typeof error.code === 'string'))
    return undefined
  return /^(?:22|23|54)[0-9A-Z]{3}$/.test(error.code) ? error.code : undefined
}
