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

/**
 * The version of the table. It is raised by a change that an older version of this package cannot
 * work with; docs/upgrading.md says how. The table's comment has it: a comment needs no right of its
 * own to be read, and goes where the table goes, through a rename, a dump and a restore.
 */
const SCHEMA_VERSION = 1
const SCHEMA_COMMENT = `oidc-provider-impersonation schema_version ${SCHEMA_VERSION}`
const VERSION_IN_COMMENT = /\boidc-provider-impersonation schema_version (\d+)\b/

/**
 * What each index is on, by the part of its name that differs. A consumption changes none of these
 * columns, but for the actor where it was not known before, so it stays a heap-only update that
 * touches no index. Only subject tokens have an account.
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
 * @param comment the table's comment, as the database has it
 * @throws Error when the table is not of the schema version that this code works with
 */
export function requireSchemaVersion(table: string, comment: unknown): void {
  const [, found] = VERSION_IN_COMMENT.exec(String(comment)) ?? []
  if (found === String(SCHEMA_VERSION)) return
  throw new Error(
    found === undefined
      ? `The table ${table} has no schema_version of this package in its comment: it is another program's, or its comment was lost. Name another table, or see docs/upgrading.md.`
      : `The table ${table} has schema_version ${found}, and this version of the package needs ${SCHEMA_VERSION}. See docs/upgrading.md.`,
  )
}

/**
 * What {@link migrate} runs, for those who run their migrations themselves. It can be run again, and by
 * several at once: an advisory lock lasts as long as the transaction, so run it in one
 * (`psql --single-transaction`); sent as a single query string it is one by itself.
 *
 * `payload` is text, not jsonb: jsonb refuses the NUL characters that a JSON text may contain in
 * escaped form, and parses what is never queried. Read it with `payload::json`. The keys
 * compare bytewise (`COLLATE "C"`), and rows keep space on their page for the update that consumes.
 * `actor` is what a subject token is listed by, `note_actor` the one of its note. `ended_xid` is the
 * transaction that ended it: what is new in a status list is found by it.
 *
 * @throws TypeError when a name has characters that would need quoting.
 */
export function migrationSql(options: PostgresTable = {}): string {
  const { schema, table, index } = tableNames(options)
  const indices = Object.entries(INDEX_COLUMNS).map(
    ([name, on]) => `CREATE INDEX IF NOT EXISTS ${index(name)} ON ${table} ${on};\n`,
  )
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
