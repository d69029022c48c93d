import { readFileSync } from 'node:fs'
import { textIn } from '../stored-columns.ts'
import { type PostgresPool, type PostgresQueries, rowsOfQuery, undone } from './client.ts'

/** The tables of these names in a schema, `''` for where the connection looks; those that are not there, too. */
const TABLES_QUERY = `
SELECT CAST(json_agg(json_build_object('name', name, 'id', CAST(to_regclass(? || name) AS oid))) AS text) AS tables
FROM json_array_elements_text(CAST(? AS json)) AS name`

const LINES_QUERY = readFileSync(new URL('./schema.sql', import.meta.url), 'utf8')

/** What a role without the right lacks to make tables that go with the transaction. */
const LACKS_TEMPORARY = '42501'

/**
 * Compares the tables with those that the migration makes on this server: each version writes expressions in words
 * of its own. Both are read in a transaction that is undone, and the others are made in `pg_temp`.
 *
 * @param migration all statements
 * @returns what differs, in words
 */
export function schemaCheck(
  pool: PostgresPool,
  migration: readonly string[],
): () => Promise<readonly string[]> {
  const names = JSON.stringify(
    migration.flatMap((text) => /^CREATE TABLE (\w+)/.exec(text)?.[1] ?? []),
  )
  /** They stay the same while the server does. */
  let made: readonly string[] = []

  async function linesIn(session: PostgresQueries, tables: string): Promise<readonly string[]> {
    const found = await rowsOfQuery(session, [{ text: LINES_QUERY, values: [tables] }])
    return found.map((columns) => textIn(columns, 'line'))
  }

  async function tablesIn(session: PostgresQueries, schema: string): Promise<string> {
    const [found] = await rowsOfQuery(session, [{ text: TABLES_QUERY, values: [schema, names] }])
    return textIn(found ?? {}, 'tables')
  }

  async function make(session: PostgresQueries): Promise<readonly string[]> {
    try {
      await session.query({ text: migration.join(';\n') })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === LACKS_TEMPORARY))
        throw error
      throw new Error(
        'createPostgresAudit compares its tables with those that its SQL makes, as temporary tables. ' +
          'GRANT TEMPORARY ON DATABASE … TO the role of the pool',
        { cause: error },
      )
    }
    return linesIn(session, await tablesIn(session, 'pg_temp.'))
  }

  return () =>
    undone(pool, async (session) => {
      const tables = await tablesIn(session, '')
      // New tables are temporary, and a function or an operator of pg_catalog alone has a name without a schema.
      await session.query({ text: 'SET LOCAL search_path = pg_temp' })
      const found = await linesIn(session, tables)
      if (found.join('\n') !== made.join('\n')) made = await make(session)
      return [
        ...made.filter((line) => !found.includes(line)).map((line) => `"${line}" is missing`),
        ...found
          .filter((line) => !made.includes(line))
          .map((line) => `"${line}" is not of the audit`),
      ]
    })
}
