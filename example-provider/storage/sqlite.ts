import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createSqliteAdapter } from '../../src/adapters/sqlite.ts'
import type { Storage } from '../storage.ts'
import { sqliteAudit } from './sqlite-audit.ts'

/** Opens a file on this machine. Several copies of the example can share it. */
export async function openSqlite(file: string): Promise<Storage> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const adapter = createSqliteAdapter({ file })
  try {
    const audit = sqliteAudit(file)
    return {
      adapter,
      audit,
      async close() {
        audit.close()
        adapter.close()
      },
    }
  } catch (error) {
    adapter.close()
    throw error
  }
}
