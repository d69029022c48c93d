import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { createSqliteAdapter } from '../../src/adapters/sqlite.ts'
import type { Storage } from '../storage.ts'

/** A file on this machine, for one copy of the example or several. */
export async function openSqlite(file: string): Promise<Storage> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const adapter = createSqliteAdapter({ file })
  return { adapter, close: async () => adapter.close() }
}
