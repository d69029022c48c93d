// A table for uses in SQLite. `keep` stores a whole batch or nothing of it, and a copy once.
import type { DatabaseSync } from 'node:sqlite'
import type { ImpersonationUse } from 'oidc-provider-impersonation-resource-server'

/** Replaces the uses that a sender had to drop. */
export interface Gap {
  readonly useId: string
  readonly timeMs: number
  dropped: number
}

export function useStore(database: DatabaseSync) {
  database.exec(`
    PRAGMA busy_timeout = 5000;
    CREATE TABLE IF NOT EXISTS impersonation_use (
      use_id TEXT PRIMARY KEY,
      time_ms INTEGER NOT NULL,
      sender TEXT NOT NULL,
      id TEXT,
      user_id TEXT,
      actor TEXT,
      use TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS impersonation_use_id ON impersonation_use (id, time_ms);
    CREATE INDEX IF NOT EXISTS impersonation_use_user ON impersonation_use (user_id, time_ms);
  `)
  const insert = database.prepare(
    'INSERT OR IGNORE INTO impersonation_use VALUES (?, ?, ?, ?, ?, ?, ?)',
  )

  /** Keeps all of them, or throws and keeps none. */
  return function keep(uses: readonly (ImpersonationUse | Gap)[], sender: string): void {
    database.exec('BEGIN IMMEDIATE')
    try {
      for (const use of uses) {
        const { id, userId, actor }: Partial<ImpersonationUse> = use
        const columns = [id, userId, actor?.sub].map((column) => column ?? null)
        insert.run(use.useId, use.timeMs, sender, ...columns, JSON.stringify(use))
      }
      database.exec('COMMIT')
    } catch (error) {
      database.exec('ROLLBACK')
      throw error
    }
  }
}
