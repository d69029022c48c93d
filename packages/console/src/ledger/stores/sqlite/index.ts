import type { DatabaseSync } from 'node:sqlite'
import type { AuditStore } from '../../store.ts'
import { parseKeepFor } from '../keep-for.ts'
import type { SqlDialect } from '../sql/dialect.ts'
import { isSchemaChanged, migrate, statementsIn } from '../sql/migrations.ts'
import { sqlStore } from '../sql/store.ts'
import { emptyLog, inTransaction, isBadData, openDatabase, read } from './database.ts'
import { assertFts5, brokenIndexOf, sqliteDifferences } from './schema.ts'

/** Options of {@link createSqliteAudit}. */
export interface SqliteAuditOptions {
  /**
   * The path of a file on a local disk, whose folder exists. It may be the file of
   * `createSqliteAdapter`. `':memory:'` keeps the audit until it is closed, for tests.
   */
  readonly file: string
  /**
   * How long an impersonation is kept after its last entry, in whole seconds, 1 or more. Choose it
   * before you go live.
   * @defaultValue forever
   */
  readonly keepFor?: number | undefined
}

/**
 * Keeps the audit in one file, with node:sqlite (Node 22.16 or later, whose SQLite has FTS5): durable on one machine, and
 * safe for several processes there. Readers and writers of other processes wait for one batch at most.
 *
 * @example
 * audit: createSqliteAudit({ file: 'data/audit.db' })
 *
 * @throws TypeError when an option is wrong.
 */
export function createSqliteAudit(options: SqliteAuditOptions): AuditStore {
  const { file } = options
  if (typeof file !== 'string' || file === '') {
    throw new TypeError('createSqliteAudit: file must be a path')
  }
  const keepFor = parseKeepFor(options, 'createSqliteAudit')
  return sqlStore(sqliteDialect(file), keepFor)
}

function sqliteDialect(file: string): SqlDialect {
  let database: DatabaseSync | undefined
  let opening: Promise<void> | undefined
  const migration = statementsIn(new URL('./001.sql', import.meta.url))

  const opened = () => {
    if (database) return database
    throw new Error('the audit is not open')
  }

  async function openOnce(): Promise<void> {
    try {
      database = await openDatabase(file)
      assertFts5(database)
      await migrate(dialect, migration)
    } catch (error) {
      await dialect.close()
      if (isSchemaChanged(error)) throw error
      const reason = error instanceof Error ? error.message : String(error)
      throw new Error(
        `createSqliteAudit cannot use ${file}: ${reason}. Its folder has to exist and be ` +
          'writable, on a local disk, and the file be empty or an SQLite database.',
        { cause: error },
      )
    }
  }

  const dialect: SqlDialect = {
    functions: {
      greater: 'max',
      jsonArray: 'json_group_array',
      jsonTuple: 'json_array',
    },
    existing: 'SELECT name FROM sqlite_schema WHERE name IN (SELECT value FROM json_each(?))',
    texts: 'SELECT value FROM json_each(?)',
    json: 'data',
    matching: {
      // Words are letters and digits, with one space between two.
      inRow: (words) => ({
        sql: words.map(() => "instr(' ' || words, ?) > 0").join(' AND '),
        values: words.map((word) => ` ${word}`),
      }),
      byIndex: (words, limit) => ({
        sql: `place IN (SELECT rowid FROM impersonation_audit_words
          WHERE impersonation_audit_words MATCH ? LIMIT ?)`,
        values: [words.map((word) => `"${word}"*`).join(' AND '), limit],
      }),
    },
    differences: async () => [
      ...sqliteDifferences(opened(), migration),
      ...(await brokenIndexOf(file, opened(), migration)),
    ],
    isIn: (column, query) => `${column} IN (${query})`,
    locked: { wait: '', skip: '' },
    recordsOf(columns) {
      const values = columns.map(([name]) => `value ->> '${name}' AS ${name}`)
      return `(SELECT ${values.join(', ')} FROM json_each(?))`
    },

    open() {
      opening ??= openOnce().catch((error: unknown) => {
        opening = undefined
        throw error
      })
      return opening
    },

    async close() {
      database?.close()
      database = undefined
      opening = undefined
    },

    read: async (query) => read(opened(), query),
    readByIndex: async (query) => read(opened(), query),
    // There is one writer at a time, whatever it does.
    inTransaction: async (_kind, steps) => inTransaction(opened(), steps),
    overwriteRemoved: () => emptyLog(opened()),
    refusalOf: (error) => (isBadData(error) ? 'SQLite refuses what is in the entry' : undefined),
  }
  return dialect
}
