import type { SqlRow } from '../sql.ts'
import { storageError } from '../storage-error.ts'

/** A query as `pg` takes it. */
export interface PostgresQuery {
  /** With a name it is prepared once per connection. */
  name?: string
  text: string
  values?: unknown[]
  /** The timeout of the client for the reply, in milliseconds, if it is not the pool's. */
  query_timeout?: number
}

/** The part of `pg`'s `Pool` or `Client` that is used. */
export interface PostgresClient {
  query(query: PostgresQuery): Promise<{ rows: SqlRow[]; rowCount: number | null }>
}

export interface PostgresResult {
  readonly rows: readonly SqlRow[]
  readonly count: number
}

const lastQuery = new WeakMap<PostgresClient, Promise<unknown>>()

/**
 * Sends one query after the other on a `Client`, which does one at a time and, from pg 9 on, no
 * longer queues them itself. A `Pool` has a connection for each.
 */
export function send(
  client: PostgresClient,
  query: PostgresQuery,
): ReturnType<PostgresClient['query']> {
  if (!('processID' in client)) return client.query(query)
  const next = (lastQuery.get(client) ?? Promise.resolve()).then(() => client.query(query))
  lastQuery.set(
    client,
    next.catch(() => {}),
  )
  return next
}

/**
 * Runs a query, and adds the way out if the database's own message has none.
 *
 * @throws StorageError if it fails
 */
export async function runQuery(
  client: PostgresClient,
  table: string,
  query: PostgresQuery,
): Promise<PostgresResult> {
  try {
    const { rows, rowCount } = await send(client, query)
    return { rows, count: rowCount ?? 0 }
  } catch (error) {
    throw storageError('PostgreSQL', error, (code) => remedies(table)[code ?? ''])
  }
}

/** Remedies by SQLSTATE: https://www.postgresql.org/docs/current/errcodes-appendix.html */
function remedies(table: string): Readonly<Record<string, string>> {
  const missing = `The table ${table} is not there. Run migrate() once, or the SQL of migrationSql().`
  return {
    '42P01': missing,
    '3F000': missing,
    '42703': `The table ${table} is not the one migrate() makes: a column is missing. Name another table.`,
    '42501': `The database role lacks rights. GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} to it, and USAGE on the schema.`,
    '25006': 'The database is read-only: a standby? Connect to the primary.',
    '25P02':
      'The client is in a failed transaction. Give the adapter a Pool, or a Client of its own.',
    // A pooler gives a statement to a connection that another client prepared it on, or did not.
    '26000':
      'The server does not know a prepared statement: a connection pooler between? Set prepare: false.',
    '42P05':
      'The server has that prepared statement already: a connection pooler between? Set prepare: false.',
  }
}
