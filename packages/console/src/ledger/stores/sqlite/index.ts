import type { DatabaseSync } from 'node:sqlite'
import { resolve, text } from 'oidc-provider-impersonation/siblings'
import { reasonOf } from 'oidc-provider-impersonation-verify/format'
import { wholeSecondsRule } from '../../../kernel/option-rules.ts'
import type { AuditStore } from '../../store.ts'
import { UnstorableError } from '../../unstorable.ts'
import type { KeepingOptions } from '../keeping-options.ts'
import { allOf } from '../row-columns.ts'
import type { SqlDialect } from '../sql/dialect.ts'
import { isSchemaChanged, migrate, statementsIn } from '../sql/migrations.ts'
import { raw, sql } from '../sql/sql.ts'
import { sqlStore } from '../sql/store.ts'
import { emptyLog, inTransaction, isBadData, openDatabase, patiently, read } from './database.ts'
import { assertFts5, brokenIndexOf, sqliteDifferences } from './schema.ts'
import { removeFrom, writeTo } from './write.ts'

/** Options of {@link createSqliteAudit}. */
export interface SqliteAuditOptions extends KeepingOptions {
  /**
   * The path of a file on a local disk, whose folder exists. It may be the file of
   * `createSqliteAdapter`. `':memory:'` keeps the audit until it is closed, for tests.
   */
  readonly file: string
}

const RULES = { keepFor: wholeSecondsRule, file: text.required('a path') }

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
  const { file, keepFor } = resolve(RULES, options, 'createSqliteAudit')
  return sqlStore(sqliteDialect(file), keepFor)
}

function sqliteDialect(file: string): SqlDialect {
  let database: DatabaseSync | undefined
  const migration = statementsIn(new URL('./001.sql', import.meta.url))

  const opened = () => {
    if (database) return database
    throw new Error('the audit is not open')
  }

  const dialect: SqlDialect = {
    existing: sql`SELECT name FROM sqlite_schema
      WHERE name IN ('impersonation_audit_entry', 'impersonation_audit_schema')`,
    texts: (texts) => sql`SELECT value, key AS place FROM json_each(${JSON.stringify(texts)})`,
    matching: {
      // Words are letters and digits, with one space between two.
      inRow: (words) => allOf(words.map((word) => sql`instr(' ' || words, ${` ${word}`}) > 0`)),
      byIndex(words, limit) {
        const all = words.map((word) => `"${word}"*`).join(' AND ')
        return sql`place IN (SELECT rowid FROM impersonation_audit_words
          WHERE impersonation_audit_words MATCH ${all} LIMIT ${limit})`
      },
    },
    differences: async () => [
      ...sqliteDifferences(opened(), migration),
      ...(await brokenIndexOf(file, opened(), migration)),
    ],
    isIn: (column, texts) =>
      sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(texts)}))`,
    // Of two members with one name, ->> reads the first, and JSON.parse the last.
    isCanonical: (text, value) => JSON.stringify(value) === text,

    async open() {
      if (database) return
      try {
        database = await openDatabase(file)
        assertFts5(database)
        await migrate(dialect, migration)
      } catch (error) {
        await dialect.close()
        if (isSchemaChanged(error)) throw error
        throw new Error(
          `createSqliteAudit cannot use ${file}: ${reasonOf(error)}. Its folder has to exist and be ` +
            'writable, on a local disk, and the file be empty or an SQLite database.',
          { cause: error },
        )
      }
    },

    async close() {
      database?.close()
      database = undefined
    },

    // To store a seal is one, and another process may write at the moment.
    read: (query) => patiently(() => read(opened(), query)),
    readByIndex: async (query) => read(opened(), query),
    create: (statements, unless) =>
      inTransaction(opened(), () => {
        if (read(opened(), unless).length > 0) return
        for (const text of statements) read(opened(), raw(text))
      }),
    deadlineIn: (withinMs) => performance.now() + withinMs,
    async write(batch, deadline) {
      try {
        return await inTransaction(opened(), () => writeTo(opened(), batch, deadline))
      } catch (cause) {
        if (!isBadData(cause)) throw cause
        throw new UnstorableError('SQLite refuses what is in the entry', { cause })
      }
    },
    remove: async (removal) => inTransaction(opened(), () => removeFrom(opened(), removal)),
    overwriteRemoved: async () => emptyLog(opened()),
  }
  return dialect
}
