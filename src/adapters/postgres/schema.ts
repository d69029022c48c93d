import { boolean, objectWith, type Resolved, resolve, valid } from '../../options/rules.ts'
import { type PostgresClient, send } from './client.ts'

/** The place of the records. */
export interface PostgresTable {
  /**
   * The schema: a letter or underscore, then letters, digits, underscores; at most 63.
   *
   * @defaultValue the connection's `search_path` decides
   * @example
   * schema: 'identity'
   */
  schema?: string

  /**
   * The table's name, of the same characters; at most 45.
   *
   * @defaultValue `'oidc_records'`
   * @example
   * table: 'id_records'
   */
  table?: string
}

/**
 * The version of the table. A change that an older version of this package cannot work with raises
 * it. docs/production.md describes it. The table's comment has it. A comment needs no right of its
 * own to be read, and stays with the table through a rename, a dump and a restore.
 */
const SCHEMA_VERSION = 1
const SCHEMA_COMMENT = `oidc-provider-impersonation schema_version ${SCHEMA_VERSION}`
const VERSION_IN_COMMENT = /\boidc-provider-impersonation schema_version (\d+)\b/

/**
 * The columns of each index, by the part of its name that differs. A consumption changes none of
 * these columns, except for the actor if it was not known before, so it stays a heap-only update
 * that touches no index. Only subject tokens have an account.
 */
const INDEX_COLUMNS: Readonly<Record<string, string>> = {
  uid: '(model, uid) WHERE uid IS NOT NULL',
  user_code: '(model, user_code) WHERE user_code IS NOT NULL',
  grant_id: '(model, grant_id) WHERE grant_id IS NOT NULL',
  expires_at: '(expires_at) WHERE expires_at IS NOT NULL',
  account_id: '(account_id, issued_at, id) WHERE account_id IS NOT NULL',
  actor: '(actor, issued_at, id) WHERE actor IS NOT NULL AND account_id IS NOT NULL',
  client_id: '(client_id, issued_at, id) WHERE client_id IS NOT NULL AND account_id IS NOT NULL',
  issued_at: '(issued_at, id) WHERE account_id IS NOT NULL',
  ended:
    '(status_list, ended_xid, status_index) WHERE ended_xid IS NOT NULL AND status_list IS NOT NULL',
}

/** @param longest - the length of the name, in characters */
function identifier(longest: number) {
  return valid<string>(
    (value) =>
      typeof value === 'string' && /^[a-z_][a-z0-9_]*$/i.test(value) && value.length <= longest,
    `letters, digits and underscores, not starting with a digit, at most ${longest} of them`,
  )
}

const TABLE_RULES = {
  schema: identifier(63),
  // the longest name made of it is that of an index, and PostgreSQL cuts names after 63 characters
  table: identifier(45).or('oidc_records'),
}

export const POSTGRES_RULES = {
  ...TABLE_RULES,
  pool: objectWith<PostgresClient>('query').required('a Pool or Client of pg'),
  prepare: boolean.or(true),
  group: boolean.or(true),
}

export function tableNames({ schema, table }: Resolved<typeof TABLE_RULES>) {
  return {
    schema: schema === undefined ? undefined : `"${schema}"`,
    table: schema === undefined ? `"${table}"` : `"${schema}"."${table}"`,
    index: (column: string) => `"${table}_${column}_idx"`,
  }
}

/**
 * @param comment - the table's comment, as the database has it
 * @throws Error if the table is not of the schema version that this code works with
 */
export function requireSchemaVersion(table: string, comment: unknown): void {
  const [, found] = VERSION_IN_COMMENT.exec(String(comment)) ?? []
  if (found === String(SCHEMA_VERSION)) return
  throw new Error(
    found === undefined
      ? `The table ${table} has no schema_version of this package in its comment: it is another program's, or its comment was lost. Name another table, or see docs/production.md#schema_version.`
      : `The table ${table} has schema_version ${found}, and this version of the package needs ${SCHEMA_VERSION}. See docs/production.md#schema_version.`,
  )
}

/**
 * Returns the SQL of {@link migrate}, for those who run their migrations themselves. It can be run
 * again, and by several at once. An advisory lock lasts as long as the transaction, so run it in
 * one (`psql --single-transaction`). Sent as a single query string it is one by itself.
 *
 * `payload` is text, not jsonb. jsonb refuses the NUL characters that a JSON text may contain in
 * escaped form, and parses a value that is never queried. Read it with `payload::json`. The keys
 * compare bytewise (`COLLATE "C"`), and rows keep space on their page for the update that
 * consumes. A subject token is listed by `actor`, or by the `note_actor` of its note. `ended_xid`
 * is the transaction that ended it, by which new ends in a status list are found.
 *
 * @throws TypeError if a name has characters that would need quoting
 */
export function migrationSql(options: PostgresTable = {}): string {
  const { schema, table, index } = tableNames(resolve(TABLE_RULES, options, 'migrationSql'))
  const indices = Object.entries(INDEX_COLUMNS).map(
    ([name, on]) => `CREATE INDEX IF NOT EXISTS ${index(name)} ON ${table} ${on};\n`,
  )
  // CREATE SCHEMA IF NOT EXISTS would need the right to create one also if it exists, and
  // to_regnamespace() reads a cache that misses a schema that was made during the wait
  const createSchema = schema
    ? `
DO $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = '${options.schema}')
  THEN CREATE SCHEMA ${schema}; END IF;
END $$;
`
    : ''
  return `
SELECT pg_advisory_xact_lock(hashtext('oidc-provider-impersonation'), hashtext('${table}'));
${createSchema}
CREATE TABLE IF NOT EXISTS ${table} (
  model        text COLLATE "C" NOT NULL,
  id           text COLLATE "C" NOT NULL,
  payload      text NOT NULL,
  uid          text COLLATE "C",
  user_code    text COLLATE "C",
  grant_id     text COLLATE "C",
  consumed_at  timestamptz,
  expires_at   timestamptz,
  account_id   text COLLATE "C",
  client_id    text COLLATE "C",
  actor        text COLLATE "C",
  issued_at    bigint,
  status_list  text COLLATE "C",
  status_index bigint,
  note         text,
  note_actor   text COLLATE "C",
  ended        text,
  ended_xid    bigint,
  PRIMARY KEY (model, id)
) WITH (fillfactor = 80);
${indices.join('')}
DO $$ BEGIN
  -- a table that is there already may be of a later version
  IF obj_description('${table}'::regclass, 'pg_class') IS NULL
  THEN COMMENT ON TABLE ${table} IS '${SCHEMA_COMMENT}'; END IF;
END $$;
`
}

const COMMENT_QUERY = `
  SELECT obj_description(oid, 'pg_class') AS comment FROM pg_class WHERE oid = to_regclass($1)`

/**
 * Creates the table and its indices if there is no table of that name, and checks the
 * `schema_version` of an existing one. Several processes may call it at the same moment. One
 * creates, and the others wait. If the table exists it only reads, and needs no right to create
 * anything, so it may run at every start.
 *
 * @throws TypeError if an option is wrong, Error if the table is another program's or of another
 * schema version, and the database's error if it refuses. It can be called again in every case.
 */
export async function migrate(client: PostgresClient, options: PostgresTable = {}): Promise<void> {
  const { table } = tableNames(resolve(TABLE_RULES, options, 'migrate'))
  if (await checkVersion(client, table)) return
  await send(client, { text: migrationSql(options) })
  // another process may have been first, with another version
  await checkVersion(client, table)
}

/** @returns `false` if there is no such table */
async function checkVersion(client: PostgresClient, table: string): Promise<boolean> {
  const [row] = (await send(client, { text: COMMENT_QUERY, values: [table] })).rows
  if (row) requireSchemaVersion(table, row.comment)
  return row !== undefined
}
