import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { Client, Pool } from 'pg'
import { skipWithout } from '../../../../../test/adapters/servers.ts'
import { newFolder } from '../../../../../test/support/folder.ts'
import { POSTGRES_URL } from '../../../../../test/support/server-urls.ts'
import type { AuditStore } from '../../../src/ledger/store.ts'
import { createPostgresAudit } from '../../../src/ledger/stores/postgres/index.ts'
import { createSqliteAudit } from '../../../src/ledger/stores/sqlite/index.ts'

const KINDS = ['sqlite', 'postgres'] as const
export type StorageKind = (typeof KINDS)[number]

/** A connection of this process to the audit at a place, and the end of it. @param place a file or a schema */
export async function storeAt(kind: StorageKind, place: string) {
  if (kind === 'sqlite') {
    return { store: createSqliteAudit({ file: place }), async close() {} }
  }
  const pool = new Pool({ connectionString: POSTGRES_URL, options: `-c search_path=${place}` })
  return { store: createPostgresAudit({ pool }), close: () => pool.end() }
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
export async function newPlace(kind: StorageKind) {
  if (kind === 'sqlite') {
    return { place: join(newFolder(), 'audit.db'), async [Symbol.asyncDispose]() {} }
  }
  const place = `audit_soak_${randomUUID().replaceAll('-', '')}`
  await administer(`CREATE SCHEMA ${place}`)
  return { place, [Symbol.asyncDispose]: () => administer(`DROP SCHEMA ${place} CASCADE`) }
}

export async function administer(sql: string) {
  const client = new Client(POSTGRES_URL)
  await client.connect()
  await client.query(sql)
  await client.end()
}

/** Defines a test for a place of each kind. */
export const onEachKind = {
  it(title: string, test: (kind: StorageKind, place: string) => Promise<void>) {
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
