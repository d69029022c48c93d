import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync, StatementSync } from 'node:sqlite'
import { createSqliteAdapter } from '../../src/adapters/sqlite/index.ts'
import { fillThrough } from '../fill.ts'
import type { AuditEntry, AuditStore, Storage, StorageOptions } from './storage.ts'

/** Runs of statements in this process, BEGIN and COMMIT among them. */
let statements = 0

// The adapter opens its file itself, so the count is taken where all its statements run.
for (const method of ['run', 'get', 'all', 'iterate'] as const) {
  countCalls(StatementSync.prototype, method)
}
countCalls(DatabaseSync.prototype, 'exec')

function countCalls(prototype: object, method: string): void {
  const original: unknown = Reflect.get(prototype, method)
  if (typeof original !== 'function') throw new Error(`node:sqlite has no ${method}()`)
  Reflect.set(prototype, method, function counted(this: unknown, ...args: unknown[]) {
    statements += 1
    return Reflect.apply(original, this, args)
  })
}

export async function openSqlite({ name }: Required<StorageOptions>): Promise<Storage> {
  const folder = join(tmpdir(), `impersonation-bench-${name}`)
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'bench.sqlite')
  const adapter = createSqliteAdapter({ file })
  const closed: Array<() => void> = [() => adapter.close()]
  return {
    adapter,
    fill: (count, issuer) => fillThrough(adapter('SubjectToken'), count, issuer),
    use: async () => ({ own: 'in process', common: 'in process', statements }),
    async left() {
      const removed = await adapter.deleteExpired()
      const database = new DatabaseSync(file, { readOnly: true })
      const row = database
        .prepare(
          `SELECT count(*) FILTER (WHERE expires_at > $now) AS live,
             count(*) FILTER (WHERE expires_at IS NULL OR expires_at <= $now - 1000) AS expired
           FROM oidc_records`,
        )
        .get({ $now: Date.now() })
      database.close()
      return { removed, expired: Number(row?.expired), live: Number(row?.live) }
    },
    async audit() {
      const database = new DatabaseSync(file)
      closed.push(() => database.close())
      return sqliteAudit(database)
    },
    empty: () => rm(folder, { recursive: true, force: true }),
    async close() {
      for (const close of closed.splice(0)) close()
    },
  }
}

function sqliteAudit(database: DatabaseSync): AuditStore {
  database.exec('PRAGMA busy_timeout = 2000')
  database.exec('CREATE TABLE IF NOT EXISTS audit (name TEXT NOT NULL, event TEXT NOT NULL) STRICT')
  const insert = database.prepare('INSERT INTO audit (name, event) VALUES (?, ?)')
  const select = database.prepare('SELECT name, count(*) AS count FROM audit GROUP BY name')
  return {
    async append(entries: readonly AuditEntry[]) {
      database.exec('BEGIN IMMEDIATE')
      for (const { name, event } of entries) insert.run(name, event)
      database.exec('COMMIT')
    },
    async count() {
      return Object.fromEntries(
        select.all().map(({ name, count }) => [String(name), Number(count)]),
      )
    },
  }
}
