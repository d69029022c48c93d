import type { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { primaryCode } from 'oidc-provider-impersonation/siblings'
import { sql } from '../sql/sql.ts'
import { textIn } from '../stored-columns.ts'
import { read } from './database.ts'

const WORDS = 'impersonation_audit_words'

/** @throws Error where the SQLite of this Node.js cannot search by words */
export function assertFts5(database: DatabaseSync): void {
  const found = read(database, sql`SELECT 1 FROM pragma_module_list WHERE name = 'fts5'`)
  if (found.length > 0) return
  throw new Error(
    `node:sqlite of Node.js ${process.version} has no FTS5, by which the audit is searched: use 22.16 or later`,
  )
}

/** Returns the differences from the statements of the migrations. SQLite keeps them to the letter. */
export function sqliteDifferences(
  database: DatabaseSync,
  migration: readonly string[],
): readonly string[] {
  const right = migration.filter((text) => text.startsWith('CREATE '))
  // The tables in which FTS5 keeps its own.
  const found = read(
    database,
    sql`SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND
      (tbl_name LIKE 'impersonation_audit_%' OR sql LIKE '%impersonation_audit_%')
      AND NOT (type = 'table' AND name IN ('impersonation_audit_words_data',
        'impersonation_audit_words_idx', 'impersonation_audit_words_config'))`,
  )
  const stored = found.map((columns) => textIn(columns, 'sql'))
  return [
    ...right
      .filter((text) => !stored.includes(text))
      .map((text) => `"${titleOf(text)}" is missing, or not as it was`),
    ...stored
      .filter((text) => !right.includes(text))
      .map((text) => `"${titleOf(text)}" is not of the audit`),
  ]
}

const titleOf = (text: string) => text.split(/ ON | USING |[(\n]/)[0]?.trim() ?? ''

/**
 * Compares what a search looks at with the rows: the index of words, and each column, which somebody may have
 * written while the tables were others. It takes long: in a thread of its own. FTS5 checks itself only with the
 * lock of a writer, so it checks a copy, and nobody waits.
 */
export async function brokenIndexOf(
  file: string,
  database: DatabaseSync,
  migration: readonly string[],
): Promise<readonly string[]> {
  try {
    const columns = migration.flatMap(columnsCheckOf)
    if (file === ':memory:') database.exec([...columns, ...WORDS_CHECK].join(';\n'))
    else await runInThread(file, [...columns, INDEX_CHECK, ...copyOf(migration), ...WORDS_CHECK])
    return []
  } catch (error) {
    if (!(error instanceof Error)) throw error
    if (!FOUND_CODES.includes(primaryCode(error))) {
      const way = 'SQLite copies it to the folder for temporary files, which SQLITE_TMPDIR names'
      throw new Error(`the index of words was not compared: ${error.message}. ${way}`, {
        cause: error,
      })
    }
    return [`the columns or the index of words are not those of the rows (${error.message})`]
  }
}

/** SQLITE_ERROR and SQLITE_CORRUPT. A disk that is full says nothing about the tables. */
const FOUND_CODES: readonly unknown[] = [1, 11]

/** A statement that fails where a column is not what its table makes it of. */
function columnsCheckOf(text: string): string[] {
  const [, table] = /^CREATE TABLE (\w+)/.exec(text) ?? []
  const columns = text.matchAll(/^ {2}(\w+) \w+ GENERATED ALWAYS AS (\(.*\)) STORED/gm)
  const differ = Array.from(columns, ([, name, is]) => `${name} IS NOT ${is}`)
  if (!table || differ.length === 0) return []
  return [failing(`a column of ${table}`, `${table} WHERE ${differ.join(' OR ')}`)]
}

/** Fails where the query finds something: the text is no JSON. */
const failing = (text: string, query: string) => `SELECT json('${text}') FROM ${query}`

/** An index that holds less than its text says. */
const INDEX_CHECK = failing('an index', "pragma_integrity_check WHERE integrity_check <> 'ok'")

const WORDS_CHECK: readonly string[] = [
  `INSERT INTO ${WORDS} (${WORDS}, rank) VALUES ('integrity-check', 1)`,
  // A search looks up the page of a word in `_idx`, and FTS5 does not see that pages are missing there. A page has
  // words if its footer, which lists them, is not empty.
  failing(
    'a page of the index of words',
    `${WORDS}_data WHERE id >= 1 << 37 AND (id >> 36) & 1 = 0
      AND printf('%04X', length(block)) > hex(substr(block, 3, 2))
      AND (id >> 37, id & 0x7fffffff) NOT IN (SELECT segid, pgno >> 1 FROM ${WORDS}_idx)`,
  ),
]

/** Copies the index of words, and the words of the rows, as they are at one moment. */
function copyOf(migration: readonly string[]): readonly string[] {
  return [
    'CREATE TABLE main.impersonation_audit_impersonation (place INTEGER PRIMARY KEY, words TEXT)',
    ...migration
      .filter((text) => text.startsWith('CREATE VIRTUAL TABLE '))
      .map((text) => text.replace(WORDS, `main.${WORDS}`)),
    'BEGIN',
    ...['data', 'idx', 'config'].map(
      (part) =>
        `DELETE FROM main.${WORDS}_${part}; INSERT INTO main.${WORDS}_${part} SELECT * FROM audit.${WORDS}_${part}`,
    ),
    `INSERT INTO main.impersonation_audit_impersonation
      SELECT place, data ->> '$.found.words' FROM audit.impersonation_audit_impersonation`,
    'COMMIT',
    // FTS5 remembers the index as it was when it was made.
    'PRAGMA writable_schema = RESET',
  ]
}

/** Runs the statements in an empty database of its own, which goes with it. The file is attached as `audit`. */
function runInThread(file: string, statements: readonly string[]): Promise<void> {
  const source = `
    const { file, sql } = require('node:worker_threads').workerData
    const { DatabaseSync } = require('node:sqlite')
    const database = new DatabaseSync('')
    database.enableDefensive?.(false)
    database.exec('PRAGMA busy_timeout = 5000; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768')
    database.prepare('ATTACH ? AS audit').run(file)
    database.exec(sql)
    database.close()`
  return new Promise((resolve, reject) => {
    const workerData = { file, sql: statements.join(';\n') }
    const worker = new Worker(source, { eval: true, workerData })
    worker.once('error', reject)
    worker.once('exit', () => resolve())
  })
}
