import type { Sql } from '../sql/sql.ts'
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

/** A receiver of statements: a pool, or one of its connections. */
export type PostgresQueries = Pick<PostgresPool, 'query'>

export async function rowsOfQuery(
  client: PostgresQueries,
  { text, values }: Sql,
): Promise<ResultRow[]> {
  let number = 0
  const numbered = text.replaceAll('?', () => {
    number += 1
    return `$${number}`
  })
  const { rows } = await client.query({ text: numbered, values: [...values] })
  return rows.filter(isResultRow)
}

// As impersonation_audit_write has it. (CREATE TABLE IF NOT EXISTS alone fails in one of two processes that start at
// once.) A process that stops in the middle (SIGSTOP, a machine that sleeps) would keep the lock: the server ends its
// transaction.
const BEGIN_ALONE = `
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL lock_timeout = '10s';
SET LOCAL idle_in_transaction_session_timeout = '10s';
SELECT pg_advisory_xact_lock(hashtext('oidc-provider-impersonation'), hashtext('impersonation_audit_entry'))`

// The planner expects what is frequent to meet often, and would read the table until it does, or sort all that is of
// one person. With little memory, the index of words forgets which row of a page it found, and each page is read.
const BEGIN_BY_INDEX = `
BEGIN READ ONLY;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_sort = off;
SET LOCAL jit = off;
SET LOCAL work_mem = '64MB'`

/** Reads by an index, also where the planner would rather read the table, or sort. */
export function readByIndex(pool: PostgresPool, query: Sql): Promise<ResultRow[]> {
  return between(pool, BEGIN_BY_INDEX, (session) => rowsOfQuery(session, query), 'COMMIT')
}

/** Runs the statements in a transaction, under the lock of writers, where the query finds nothing. */
export function create(
  pool: PostgresPool,
  statements: readonly string[],
  unless: Sql,
): Promise<void> {
  const make = async (session: PostgresQueries) => {
    const found = await rowsOfQuery(session, unless)
    for (const text of found.length > 0 ? [] : statements) await session.query({ text })
  }
  return between(pool, BEGIN_ALONE, make, 'COMMIT')
}

/** Does the work in a transaction of which nothing is stored. */
export function undone<T>(
  pool: PostgresPool,
  work: (session: PostgresQueries) => Promise<T>,
): Promise<T> {
  return between(pool, 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE', work, 'ROLLBACK')
}

/** Does the work in a transaction, on a connection of its own, which is closed where the work fails. */
async function between<T>(
  pool: PostgresPool,
  begin: string,
  work: (session: PostgresQueries) => Promise<T>,
  end: string,
): Promise<T> {
  const session = await pool.connect()
  // A connection that breaks between two queries would end the process. The next query rejects.
  const ignore = () => {}
  session.on('error', ignore)
  let isUsable = false
  try {
    await session.query({ text: begin })
    const result = await work(session)
    await session.query({ text: end })
    isUsable = true
    return result
  } finally {
    session.off('error', ignore)
    // The server rolls back what a closed connection has begun.
    session.release(!isUsable)
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/**
 * Returns true if the statement began to see before it had the lock, at an isolation level that a deployment chose:
 * another write came between. Nothing of it is stored.
 */
export function isOvertaken(error: unknown): boolean {
  return ['23505', '40001'].includes(codeOf(error))
}

/**
 * The SQLSTATE where PostgreSQL refuses a value: data exception (22), integrity constraint violation
 * (23), program limit exceeded (54).
 *
 * @see https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
export function badDataCodeOf(error: unknown): string | undefined {
  const code = codeOf(error)
  return /^(?:22|23|54)[0-9A-Z]{3}$/.test(code) ? code : undefined
}
