import { isResultRow, type ResultRow } from './stored-columns.ts'

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

export async function rowsOfQuery(
  client: Pick<PostgresPool, 'query'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<ResultRow[]> {
  const { rows } = await client.query({ text, values: [...values] })
  return rows.filter(isResultRow)
}

// The level that a deployment chose for its own work does not matter: under the lock, each statement
// has to see what was committed before. A process that stops in the middle (SIGSTOP, a machine that
// sleeps) would keep the lock: the server ends its transaction.
const BEGIN = `
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL lock_timeout = '10s';
SET LOCAL idle_in_transaction_session_timeout = '10s'`

/**
 * Runs the work in a transaction on a connection of its own: all of it is stored, or nothing. Where
 * the result of the commit is unknown, it rejects.
 */
export async function inTransaction<T>(
  pool: PostgresPool,
  work: (session: PostgresSession) => Promise<T>,
): Promise<T> {
  const session = await pool.connect()
  // A connection that breaks between two queries would end the process. The next query rejects.
  const ignore = () => {}
  session.on('error', ignore)
  let isUsable = false
  try {
    await session.query({ text: BEGIN })
    const result = await work(session)
    await session.query({ text: 'COMMIT' })
    isUsable = true
    return result
  } finally {
    session.off('error', ignore)
    // The server rolls back what a closed connection has begun.
    session.release(!isUsable)
  }
}
