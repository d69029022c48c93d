import { openMemory } from './memory.ts'
import { openPostgres } from './postgres.ts'
import { openRedis } from './redis.ts'
import { openSqlite } from './sqlite.ts'
import type { Storage, StorageOptions } from './storage.ts'

const open: Record<string, (options: Required<StorageOptions>) => Promise<Storage>> = {
  memory: openMemory,
  sqlite: openSqlite,
  redis: openRedis,
  postgres: openPostgres,
}

/** Opens one of the storages that the benchmark knows. */
export async function openStorage(
  storage: string,
  { database = 0, name = String(process.pid), poolSize = 16 }: StorageOptions = {},
): Promise<Storage> {
  const opened = await open[storage]?.({ database, name, poolSize })
  if (!opened) throw new Error(`unknown storage ${storage}`)
  return opened
}
