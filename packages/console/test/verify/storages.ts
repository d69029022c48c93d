import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { suiteOn, testOn } from '../../../../test/adapters/servers.ts'
import { newFolder } from '../../../../test/support/folder.ts'
import type { AuditStore } from '../../src/ledger/store.ts'
import { createPostgresAudit } from '../../src/ledger/stores/postgres/index.ts'
import { createSqliteAudit } from '../../src/ledger/stores/sqlite/index.ts'
import { newSchema } from '../ledger/stores/postgres/schema.ts'
import { KEEP_FOR } from './history.ts'

/** A storage, as a person has it who can write to it. */
export interface Storage extends AsyncDisposable {
  readonly store: AuditStore
  /** Runs a statement, with `?` for each value. */
  run(sql: string, ...values: (string | number | null)[]): Promise<unknown>
  /** Changes the JSON of a sum: its columns cannot be written by themselves. */
  change(table: 'impersonation' | 'record', id: string, edit: (sum: Sum) => Sum): Promise<unknown>
}

/** Defines a test for an empty storage of each kind. */
export function onEachStorage(title: string, use: (storage: Storage) => Promise<void>) {
  for (const { name, create, test } of storages) {
    test(`${title}: ${name}`, async () => {
      await using storage = await create()
      await use(storage)
    })
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a person changes what they like.
type Sum = Readonly<Record<string, any>>
type Run = (sql: string, ...values: (string | number | null)[]) => Promise<readonly object[]>

function changing(run: Run): Storage['change'] {
  return async (table, id, edit) => {
    const name = `impersonation_audit_${table}`
    const [found] = await run(`SELECT CAST(data AS text) AS data FROM ${name} WHERE id = ?`, id)
    const data = JSON.stringify(edit(JSON.parse(String(Reflect.get(found ?? {}, 'data')))))
    return run(`UPDATE ${name} SET data = ? WHERE id = ?`, data, id)
  }
}

async function openSqlite(): Promise<Storage> {
  const file = join(newFolder(), 'audit.db')
  const store = createSqliteAudit({ file, keepFor: KEEP_FOR })
  await store.open()
  const database = new DatabaseSync(file)
  const run: Run = async (sql, ...values) => database.prepare(sql).all(...values)
  return {
    ...{ store, run, change: changing(run) },
    async [Symbol.asyncDispose]() {
      database.close()
      await store.close()
    },
  }
}

async function openPostgres(): Promise<Storage> {
  const { [Symbol.asyncDispose]: dispose, ...schema } = await newSchema()
  const pool = schema.pool()
  const store = createPostgresAudit({ pool, keepFor: KEEP_FOR })
  await store.open()
  const run: Run = async (sql, ...values) => {
    let place = 0
    const numbered = sql.replaceAll('?', () => `$${++place}`)
    return (await pool.query(numbered, values)).rows
  }
  return { store, run, change: changing(run), [Symbol.asyncDispose]: dispose }
}

/**
 * An empty storage of each kind, which a person can write to behind the audit's back, with `it` and
 * `describe` that are skipped where its server is missing.
 */
export const storages = [
  { name: 'SQLite', create: openSqlite, test: it, suite: describe },
  {
    name: 'PostgreSQL',
    create: openPostgres,
    test: await testOn('PostgreSQL'),
    suite: await suiteOn('PostgreSQL'),
  },
]
