import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Pool } from 'pg'
import { POSTGRES_URL } from '../../../../../test/support/server-urls.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { createPostgresAudit } from '../../../src/ledger/stores/postgres/index.ts'
import { createSqliteAudit } from '../../../src/ledger/stores/sqlite/index.ts'

export type StorageKind = 'postgres' | 'sqlite'

/** A connection of this process to the audit at a place, and what closes it. */
export interface OwnStore {
  readonly store: AuditStore
  close(): Promise<void>
}

/** @param place a file or a schema */
export async function storeAt(kind: StorageKind, place: string): Promise<OwnStore> {
  switch (kind) {
    case 'sqlite':
      return { store: createSqliteAudit({ file: place }), close: async () => {} }
    case 'postgres': {
      const options = `-c search_path=${place}`
      const pool = new Pool({ connectionString: POSTGRES_URL, options })
      return { store: createPostgresAudit({ pool }), close: () => pool.end() }
    }
  }
}

/** An empty place for the audit. */
export interface StoragePlace extends AsyncDisposable {
  readonly place: string
}

export async function newPlace(kind: StorageKind): Promise<StoragePlace> {
  const name = `audit_soak_${randomUUID().replaceAll('-', '')}`
  switch (kind) {
    case 'sqlite': {
      const folder = await mkdtemp(join(tmpdir(), 'audit-soak-'))
      const remove = () => rm(folder, { recursive: true })
      return { place: join(folder, 'audit.db'), [Symbol.asyncDispose]: remove }
    }
    case 'postgres': {
      await administer(`CREATE SCHEMA ${name}`)
      return { place: name, [Symbol.asyncDispose]: () => administer(`DROP SCHEMA ${name} CASCADE`) }
    }
  }
}

async function administer(sql: string): Promise<void> {
  const client = new Client(POSTGRES_URL)
  await client.connect()
  await client.query(sql)
  await client.end()
}
