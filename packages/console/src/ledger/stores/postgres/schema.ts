import { readFileSync } from 'node:fs'
import { sql } from '../sql/sql.ts'
import { textIn } from '../stored-columns.ts'
import { type PostgresPool, type PostgresQueries, rowsOfQuery, undone } from './client.ts'

/**
 * The tables and functions of these names in a schema, `''` for where the connection looks; those that are not there,
 * too.
 */
const tablesQuery = (schema: string, names: string) => sql`
SELECT CAST(json_agg(json_build_object('name', name, 'id', CASE WHEN name LIKE '%(%'
  THEN CAST(to_regprocedure(schema || name) AS oid) ELSE CAST(to_regclass(schema || name) AS oid) END)) AS text) AS tables
FROM (SELECT CAST(${schema} AS text) AS schema) AS looked,
  json_array_elements_text(CAST(${names} AS json)) AS name`

/** The schema in which a name without one is looked for first. Functions and operators of `pg_temp` have one. */
const FIRST_SCHEMA_QUERY = sql`
SELECT name FROM unnest(current_schemas(true)) WITH ORDINALITY AS looked (name, at)
WHERE name NOT LIKE 'pg\\_temp\\_%' ORDER BY at LIMIT 1`

const LINES_QUERY = readFileSync(new URL('./schema.sql', import.meta.url), 'utf8')

/** The SQLSTATE of a role that may not make tables that go with the transaction. */
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
  const names = JSON.stringify(migration.flatMap(madeBy))
  /** They stay the same while the server does. */
  let made: readonly string[] = []

  async function linesIn(session: PostgresQueries, tables: string): Promise<readonly string[]> {
    const found = await rowsOfQuery(session, { text: LINES_QUERY, values: [tables] })
    return found.map((columns) => textIn(columns, 'line'))
  }

  async function tablesIn(session: PostgresQueries, schema: string): Promise<string> {
    const [found] = await rowsOfQuery(session, tablesQuery(schema, names))
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
      const [first] = await rowsOfQuery(session, FIRST_SCHEMA_QUERY)
      if (first?.name !== 'pg_catalog') {
        return [`the search_path, which has ${first?.name} before pg_catalog,`]
      }
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

/** The name of a table, or a function with the types of what it takes. */
function madeBy(statement: string): string[] {
  const [, table] = /^CREATE TABLE (\w+)/.exec(statement) ?? []
  const [, name = '', given = ''] = /^CREATE FUNCTION (\w+)\((.*)\)/.exec(statement) ?? []
  const types = given.split(', ').filter((each) => !each.startsWith('OUT '))
  const called = `${name}(${types.map((each) => each.split(' ')[1]).join(',')})`
  return table ? [table] : name ? [called] : []
}
