import type { DatabaseSync } from 'node:sqlite'
import type { ImpersonationUse } from 'oidc-provider-impersonation-resource-server'

/** What is told in place of uses that a sender had to drop. */
export interface Gap {
  readonly useId: string
  readonly time: number
  dropped: number
}

export function useStore(database: DatabaseSync) {
  database.exec(`
    PRAGMA busy_timeout = 5000;
    CREATE TABLE IF NOT EXISTS impersonation_use (
      use_id TEXT PRIMARY KEY,
      time INTEGER NOT NULL,
      sender TEXT NOT NULL,
      id TEXT,
      subject TEXT,
      actor TEXT,
      use TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS impersonation_use_id ON impersonation_use (id, time);
    CREATE INDEX IF NOT EXISTS impersonation_use_subject ON impersonation_use (subject, time);
  `)
  const insert = database.prepare(
    'INSERT OR IGNORE INTO impersonation_use VALUES (?, ?, ?, ?, ?, ?, ?)',
  )

  /** Keeps all of them, or throws and keeps none. */
  return function keep(uses: readonly (ImpersonationUse | Gap)[], sender: string): void {
    database.exec('BEGIN IMMEDIATE')
    try {
      for (const use of uses) {
        const { id, subject, actor }: Partial<ImpersonationUse> = use
        const columns = [id, subject, actor?.sub].map((column) => column ?? null)
        insert.run(use.useId, use.time, sender, ...columns, JSON.stringify(use))
      }
      database.exec('COMMIT')
    } catch (error) {
      database.exec('ROLLBACK')
      throw error
    }
  }
}
