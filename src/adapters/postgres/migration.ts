import { isRow, type PostgresClient, send } from './client.ts'
import { migrationSql, type PostgresTable, requireSchemaVersion, tableNames } from './schema.ts'

const COMMENT_QUERY = `
  SELECT obj_description(oid, 'pg_class') AS comment FROM pg_class WHERE oid = to_regclass($1)`

/**
 * Creates the table and its indices where there is no table of that name, and looks at the
 * `schema_version` of the one that is there. Several processes may call it at the same moment: one
 * creates, the others wait. Where the table is there it only reads, and needs no right to create
 * anything, so it may run at every start.
 *
 * @throws TypeError when an option is wrong, Error when the table is another program's or of another
 * schema version, and the database's error when it refuses. It can be called again in every case.
 */
export async function migrate(client: PostgresClient, options: PostgresTable = {}): Promise<void> {
  const { table } = tableNames(options)
  if (await checkVersion(client, table)) return
  await send(client, { text: migrationSql(options) })
  // another process may have been first, and of another version
  await checkVersion(client, table)
}

/** @returns false where there is no such table */
async function checkVersion(client: PostgresClient, table: string): Promise<boolean> {
  const { rows } = await send(client, { text: COMMENT_QUERY, values: [table] })
  const row = rows.find(isRow)
  if (row) requireSchemaVersion(table, row.comment)
  return row !== undefined
}
