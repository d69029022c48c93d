import type { PostgresClient } from './postgres-client.ts'

/** Where the records are. */
export interface PostgresTable {
  /**
   * The schema: a letter or underscore, then letters, digits, underscores; at most 63.
   *
   * @defaultValue none: the connection's `search_path` decides
   */
  schema?: string

  /**
   * The table's name, of the same characters; at most 45.
   *
   * @defaultValue `'oidc_records'`
   */
  table?: string
}

const INDICES = ['uid', 'user_code', 'grant_id'] as const

/** @throws TypeError when a name has other characters or is too long. */
export function tableNames({ schema, table = 'oidc_records' }: PostgresTable) {
  // the longest name made of it is that of an index, and PostgreSQL cuts off what exceeds 63
  identifier('table', table, 45)
  if (schema !== undefined) identifier('schema', schema, 63)
  return {
    schema: schema === undefined ? undefined : `"${schema}"`,
    table: schema === undefined ? `"${table}"` : `"${schema}"."${table}"`,
    index: (column: string) => `"${table}_${column}_idx"`,
  }
}

function identifier(option: string, name: unknown, longest: number): void {
  if (typeof name !== 'string' || !/^[a-z_][a-z0-9_]*$/i.test(name) || name.length > longest) {
    throw new TypeError(
      `${option} must be letters, digits and underscores, not starting with a digit, ` +
        `at most ${longest} of them`,
    )
  }
}

/**
 * The migration as SQL, for those who run their migrations themselves. It can be run again, and by
 * several at once: an advisory lock lasts as long as the transaction, so run it in one
 * (`psql --single-transaction`); sent as a single query string it is one by itself.
 *
 * `payload` is text, not jsonb: jsonb refuses the NUL characters that a JSON text may contain in
 * escaped form, and parses what is never queried. Read it with `payload::json`. The keys
 * compare bytewise (`COLLATE "C"`), and rows keep room on their page for the update that consumes.
 *
 * @throws TypeError when a name has characters that would need quoting.
 */
export function migrationSql(options: PostgresTable = {}): string {
  const { schema, table, index } = tableNames(options)
  // CREATE SCHEMA IF NOT EXISTS would ask for the right to create one also where it exists, and
  // to_regnamespace() answers from a cache that does not see what was made during the wait
  const createSchema = schema
    ? `
DO $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = '${options.schema}')
  THEN CREATE SCHEMA ${schema}; END IF;
END $$;
`
    : ''
  const lookups = INDICES.map(
    (column) => `
CREATE INDEX IF NOT EXISTS ${index(column)} ON ${table} (model, ${column})
  WHERE ${column} IS NOT NULL;`,
  )
  return `
SELECT pg_advisory_xact_lock(hashtext('oidc-provider-impersonation'), hashtext('${table}'));
${createSchema}
CREATE TABLE IF NOT EXISTS ${table} (
  model       text COLLATE "C" NOT NULL,
  id          text COLLATE "C" NOT NULL,
  payload     text NOT NULL,
  uid         text COLLATE "C",
  user_code   text COLLATE "C",
  grant_id    text COLLATE "C",
  consumed_at timestamptz,
  expires_at  timestamptz,
  PRIMARY KEY (model, id)
) WITH (fillfactor = 80);
${lookups.join('')}

CREATE INDEX IF NOT EXISTS ${index('expires_at')} ON ${table} (expires_at)
  WHERE expires_at IS NOT NULL;
`
}

/**
 * Creates the table and its indices where they are missing. Several processes may call it at the
 * same moment; one creates, the others wait. Where everything is there already it changes nothing
 * and needs no right to create anything, so it may run at every start.
 *
 * @throws TypeError when a name is wrong, and the database's error when it refuses.
 */
export async function migrate(client: PostgresClient, options: PostgresTable = {}): Promise<void> {
  const { table, index } = tableNames(options)
  const expected = [...INDICES, 'expires_at'].map((column) => index(column).replaceAll('"', ''))
  const { rows } = await client.query({
    text: `SELECT 1 FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
           WHERE indrelid = to_regclass($1) AND relname = ANY($2)`,
    values: [table, expected],
  })
  if (rows.length === expected.length) return
  await client.query({ text: migrationSql(options) })
}
