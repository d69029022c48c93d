import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { Client, Pool } from 'pg'
import { skipWithout } from '../../../../../test/adapters/servers.ts'
import { POSTGRES_URL } from '../../../../../test/support/server-urls.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { createPostgresAudit } from '../../../src/ledger/stores/postgres/index.ts'
import { createSqliteAudit } from '../../../src/ledger/stores/sqlite/index.ts'

const KINDS = ['sqlite', 'postgres'] as const
export type StorageKind = (typeof KINDS)[number]

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

/** Does the work on the audit at a place, as a process that opens and closes it. */
export async function withStore<T>(
  kind: StorageKind,
  place: string,
  work: (store: AuditStore) => Promise<T>,
): Promise<T> {
  const { store, close } = await storeAt(kind, place)
  try {
    await store.open()
    return await work(store)
  } finally {
    await store.close()
    await close()
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

/** Defines a test for a place of each kind. */
export const onEachKind = {
  it(title: string, test: (kind: StorageKind, place: string) => Promise<void>): void {
    for (const kind of KINDS) {
      it(`${title}: ${kind}`, async function () {
        if (kind === 'postgres') await skipWithout(this, 'PostgreSQL')
        await using storage = await newPlace(kind)
        await test(kind, storage.place)
      })
    }
  },
}

/** Runs a script of this folder. `lines` has what it wrote so far. */
export function started(script: string, ...args: readonly (number | string)[]) {
  const child = fork(new URL(script, import.meta.url), args.map(String), {
    execArgv: ['--conditions=oidc-provider-impersonation'],
    silent: true,
  })
  const { stdin, stdout, stderr } = child
  if (!stdin || !stdout || !stderr) return expect.fail('no output')
  const lines: string[] = []
  createInterface(stdout).on('line', (line) => lines.push(line))
  stderr.pipe(process.stderr)
  return { child, stdin, stdout, lines, ended: once(child, 'close') }
}
