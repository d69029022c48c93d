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

/** What the table of the version before lacks. `note_actor` is `actor` of the note. */
const ADDED_COLUMNS: Readonly<Record<string, string>> = {
  account_id: 'text COLLATE "C"',
  client_id: 'text COLLATE "C"',
  actor: 'text COLLATE "C"',
  issued_at: 'bigint',
  status_list: 'text COLLATE "C"',
  status_index: 'bigint',
  note: 'text',
  note_actor: 'text COLLATE "C"',
  ended: 'text',
}

/** What a table has that {@link migrationSql} of any version made. */
const FIRST_COLUMNS = [
  'model',
  'id',
  'payload',
  'uid',
  'user_code',
  'grant_id',
  'consumed_at',
  'expires_at',
]

/** What each index is on, by the part of its name that differs. */
const INDICES: Readonly<Record<string, string>> = {
  uid: '(model, uid) WHERE uid IS NOT NULL',
  user_code: '(model, user_code) WHERE user_code IS NOT NULL',
  grant_id: '(model, grant_id) WHERE grant_id IS NOT NULL',
  expires_at: '(expires_at) WHERE expires_at IS NOT NULL',
}

// A consumption changes none of these columns, but for the actor where it was not known before, so it
// stays a heap-only update that touches no index.
const ADDED_INDICES: Readonly<Record<string, string>> = {
  account_id: '(account_id, issued_at, id) WHERE account_id IS NOT NULL',
  actor: '(actor, issued_at, id) WHERE actor IS NOT NULL AND account_id IS NOT NULL',
  client_id: '(client_id, issued_at, id) WHERE client_id IS NOT NULL AND account_id IS NOT NULL',
  issued_at: '(issued_at, id) WHERE account_id IS NOT NULL',
  ended: '(status_list, status_index) WHERE ended IS NOT NULL AND status_list IS NOT NULL',
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

/** What there is of a table, as `schemaQuery` tells. */
export interface FoundSchema {
  readonly columns: ReadonlySet<string>
  /** Usable indices. */
  readonly indices: ReadonlySet<string>
  /** What an interrupted build left: the name for SQL, by the bare name. */
  readonly invalid: ReadonlyMap<string, string>
}

/** `$1` is the quoted table. Rows of `kind`, `name` and, for an index, `qualified`: its name for SQL. */
export const schemaQuery = `
  SELECT 'column' AS kind, attname::text AS name, NULL AS qualified
  FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped
  UNION ALL
  SELECT CASE WHEN indisvalid THEN 'index' ELSE 'invalid' END, relname::text, indexrelid::regclass::text
  FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid WHERE indrelid = to_regclass($1)`

/** Whether a table, which is there, is that of another program: it must not be changed. */
export function isForeign({ columns }: FoundSchema): boolean {
  return FIRST_COLUMNS.some((name) => !columns.has(name))
}

/** A statement that brings a table of the version before closer to what it should be. */
export interface MigrationStep {
  readonly text: string
  /** Whether it takes a lock that readers and writers wait for, if only for a moment. */
  readonly blocks: boolean
}

/** The next statement that a table needs, to be sent alone; `undefined` when it is complete. */
export function nextStep(options: PostgresTable, found: FoundSchema): MigrationStep | undefined {
  const { table, index } = tableNames(options)
  const missing = Object.keys(ADDED_COLUMNS).filter((name) => !found.columns.has(name))
  if (missing.length > 0) {
    return { text: `ALTER TABLE ${table} ${additions(missing)}`, blocks: true }
  }
  for (const [name, definition] of Object.entries({ ...INDICES, ...ADDED_INDICES })) {
    const bare = index(name).replaceAll('"', '')
    if (found.indices.has(bare)) continue
    const left = found.invalid.get(bare)
    const text = left
      ? `DROP INDEX CONCURRENTLY IF EXISTS ${left}`
      : `CREATE INDEX CONCURRENTLY ${index(name)} ON ${table} ${definition}`
    return { text, blocks: false }
  }
  return undefined
}

function additions(columns: readonly string[]): string {
  return columns.map((name) => `ADD COLUMN IF NOT EXISTS ${name} ${ADDED_COLUMNS[name]}`).join(', ')
}

/**
 * The migration as SQL, for those who run their migrations themselves. It can be run again, and by
 * several at once: an advisory lock lasts as long as the transaction, so run it in one
 * (`psql --single-transaction`); sent as a single query string it is one by itself.
 *
 * A table of the version before gets its new columns, which rewrites nothing and waits for
 * transactions that are using the table: set a `lock_timeout`, and run it again if it fails. It
 * gets the new indices only if it is empty; else run {@link migrationIndexSql} afterwards.
 *
 * `payload` is text, not jsonb: jsonb refuses the NUL characters that a JSON text may contain in
 * escaped form, and parses what is never queried. Read it with `payload::json`. The keys
 * compare bytewise (`COLLATE "C"`), and rows keep room on their page for the update that consumes.
 * `consumed_at` is the epoch for what ended without being consumed: then no version consumes it.
 *
 * @throws TypeError when a name has characters that would need quoting.
 */
export function migrationSql(options: PostgresTable = {}): string {
  const { schema, table, index } = tableNames(options)
  const create = (indices: Readonly<Record<string, string>>) =>
    Object.entries(indices)
      .map(
        ([name, definition]) =>
          `CREATE INDEX IF NOT EXISTS ${index(name)} ON ${table} ${definition};\n`,
      )
      .join('')
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
  const added = Object.keys(ADDED_COLUMNS)
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
${create(INDICES)}
DO $$ BEGIN
  -- asked first: the statement locks the table even where it has nothing to do
  IF (SELECT count(*) FROM pg_attribute WHERE attrelid = '${table}'::regclass AND NOT attisdropped
      AND attname IN ('${added.join("', '")}')) < ${added.length}
  THEN ALTER TABLE ${table} ${additions(added)}; END IF;
  -- on a table with rows this would make writers wait
  IF NOT EXISTS (SELECT 1 FROM ${table}) THEN
${create(ADDED_INDICES)}  END IF;
END $$;
`
}

/**
 * What {@link migrationSql} leaves to do on a table with rows, as statements to be sent one by one
 * and outside a transaction: `CREATE INDEX CONCURRENTLY`. Until they are there, listing
 * impersonations reads the whole table. A statement that fails leaves an invalid index, which the
 * same statement then takes for a good one: `DROP INDEX CONCURRENTLY` it first (`\d` shows it).
 * {@link migrate} does all of this by itself.
 *
 * @throws TypeError when a name has characters that would need quoting.
 */
export function migrationIndexSql(options: PostgresTable = {}): string[] {
  const { table, index } = tableNames(options)
  return Object.entries(ADDED_INDICES).map(
    ([name, definition]) =>
      `CREATE INDEX CONCURRENTLY IF NOT EXISTS ${index(name)} ON ${table} ${definition}`,
  )
}
