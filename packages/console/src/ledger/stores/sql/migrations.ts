import { readFileSync } from 'node:fs'
import type { SqlDialect } from './dialect.ts'
import { sql } from './sql.ts'

/** The number of the newest migration: each is a file that begins with its number. */
const VERSION = 1
const SCHEMA = 'impersonation_audit_schema'
const SCHEMA_CODE = 'ERR_AUDIT_SCHEMA'

/** The statements of a file of SQL: a line without anything stands between two. */
export function statementsIn(file: URL): readonly string[] {
  return readFileSync(file, 'utf8').trimEnd().replace(/;$/, '').split(';\n\n')
}

/**
 * Creates the tables where there are none. Where they are there it only reads, so the right to create is not
 * needed.
 *
 * @param migration all statements
 * @throws Error where the tables are of another version, or somebody changed them
 */
export async function migrate(dialect: SqlDialect, migration: readonly string[]): Promise<void> {
  const tables = dialect.existing
  if ((await dialect.read(tables)).length === 0) await dialect.create(migration, tables)
  const made = await dialect.read(tables)
  if (!made.some(({ name }) => name === SCHEMA)) throw otherVersion('an older version')
  const [found] = await dialect.read(
    sql`SELECT CAST(max(version) AS text) AS version FROM impersonation_audit_schema`,
  )
  if (found?.version !== String(VERSION)) throw otherVersion(`version ${found?.version}`)
  await assertSchema(dialect)
}

/** @throws Error that names what differs from the migrations */
export async function assertSchema({ differences }: SqlDialect): Promise<void> {
  const [first, ...others] = await differences()
  if (first === undefined) return
  const message =
    `somebody changed the tables of the audit: ${first}${others.length > 0 ? `, and ${others.length} more` : ''}. ` +
    'What a search finds, or an export, may be wrong. Restore them as the migrations made them.'
  throw Object.assign(new Error(message), { code: SCHEMA_CODE })
}

export function isSchemaChanged(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === SCHEMA_CODE
}

function otherVersion(which: string): Error {
  return new Error(
    `the tables impersonation_audit_* are of ${which}, and this one is ${VERSION}. Nothing migrates them: ` +
      'name another database, or drop these tables, which deletes the audit that is in them.',
  )
}
