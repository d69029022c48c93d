import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { AuditRow, StoredPermit } from 'oidc-provider-impersonation-verify/format'
import { Client, Pool } from 'pg'
import { POSTGRES_URL, suiteOn, testOn } from '../../../../test/adapters/servers.ts'
import type { AuditStore } from '../../src/ledger/store.ts'
import { encodePermit } from '../../src/ledger/stores/permit-record.ts'
import { createPostgresAudit } from '../../src/ledger/stores/postgres/index.ts'
import { columnsOf } from '../../src/ledger/stores/row-columns.ts'
import { createSqliteAudit } from '../../src/ledger/stores/sqlite/index.ts'
import { KEEP_FOR } from './history.ts'

/** What a person does who can write to the storage, and knows how the audit keeps things. */
export interface Storage {
  readonly store: AuditStore
  /** Writes a row, and all that searches look at. */
  putRow(row: AuditRow): Promise<unknown>
  /** Writes what is stored of a permit. */
  putPermit(permit: StoredPermit): Promise<unknown>
  /** What is stored of a permit is cut off. */
  damagePermit(id: string): Promise<unknown>
  /** All entries of one row are another one's. */
  moveEntries(from: string, to: string): Promise<unknown>
  /** Replaces a part of the texts of a row's entries. */
  rewrite(id: string, from: string, to: string): Promise<unknown>
  /** Deletes a row, and all that searches look at. */
  dropRow(id: string): Promise<unknown>
  /** The alarm is no longer among the open ones; the row is as it was. */
  hideAlarm(id: string): Promise<unknown>
  /** A search no longer finds the row by its words; the row is as it was. */
  hideWords(id: string): Promise<unknown>
  /** Wipes the text of an entry as retention does. */
  wipe(writer: string, sequence: number): Promise<unknown>
  /** The entry is no longer one of its row. */
  unname(writer: string, sequence: number): Promise<unknown>
  /** Has a chain end there: what comes later is not exported. */
  setBack(writer: string, sequence: number, hash: string): Promise<unknown>
  /** Says that the entry happened so often. */
  recount(writer: string, sequence: number, count: number, lastTime: number): Promise<unknown>
  dispose(): Promise<unknown>
}

type Run = (sql: string, ...values: (string | number | null)[]) => Promise<unknown>

type Ask = (sql: string, id: string) => Promise<readonly Stored[]>
type Stored = Readonly<Record<string, unknown>>

const withFound = (row: Stored, more: object): Stored => {
  return { ...row, found: { ...Object(row.found), ...more } }
}

function bySql(run: Run, ask: Ask): Omit<Storage, 'dispose' | 'store'> {
  const [ENTRY, ROW] = ['impersonation_audit_entry', 'impersonation_audit_row']
  async function dropRow(id: string) {
    await run(`DELETE FROM ${ROW} WHERE id = ?`, id)
  }
  /** Columns that are made of the row cannot be written by themselves. */
  async function change(table: 'permit' | 'row', id: string, edit: (stored: Stored) => Stored) {
    const name = `impersonation_audit_${table}`
    const [found] = await ask(`SELECT CAST(data AS text) AS data FROM ${name} WHERE id = ?`, id)
    const data = JSON.stringify(edit(JSON.parse(String(found?.data))))
    await run(`UPDATE ${name} SET data = ? WHERE id = ?`, data, id)
  }
  const ofEntry = 'WHERE writer = ? AND sequence = ?'
  return {
    async putRow(row) {
      await dropRow(row.id)
      const { id, data } = columnsOf(row)
      await run(`INSERT INTO ${ROW} (id, version, data) VALUES (?, 1, ?)`, id, data)
    },
    putPermit: (permit) =>
      run(
        'UPDATE impersonation_audit_permit SET data = ? WHERE id = ?',
        ...[encodePermit(permit), permit.id],
      ),
    damagePermit: (id) =>
      change('permit', id, ({ data, ...permit }) => ({
        ...permit,
        data: String(data).slice(0, 40),
      })),
    moveEntries: (from, to) => run(`UPDATE ${ENTRY} SET row_id = ? WHERE row_id = ?`, to, from),
    rewrite: (id, from, to) =>
      run(`UPDATE ${ENTRY} SET text = replace(text, ?, ?) WHERE row_id = ?`, from, to, id),
    dropRow,
    hideWords: (id) => change('row', id, (row) => withFound(row, { words: '' })),
    hideAlarm: (id) => change('row', id, (row) => withFound(row, { openAlarmAt: undefined })),
    async wipe(writer, sequence) {
      await run(
        `UPDATE ${ENTRY} SET text = NULL, row_id = NULL, repeat_key = NULL ${ofEntry}`,
        ...[writer, sequence],
      )
      await run(
        'INSERT INTO impersonation_audit_removed (writer, first_sequence, last_sequence) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
        ...[writer, sequence, sequence],
      )
    },
    unname: (...link) => run(`UPDATE ${ENTRY} SET row_id = NULL ${ofEntry}`, ...link),
    setBack: (writer, sequence, hash) => {
      const set = 'UPDATE impersonation_audit_writer SET sequence = ?, hash = ? WHERE writer = ?'
      return run(set, sequence, hash, writer)
    },
    recount: (writer, sequence, count, lastTime) => {
      const set = `UPDATE ${ENTRY} SET count = ?, last_time = ? ${ofEntry}`
      return run(set, count, lastTime, writer, sequence)
    },
  }
}

export async function openSqlite(): Promise<Storage> {
  const folder = await mkdtemp(join(tmpdir(), 'audit-attack-'))
  const file = join(folder, 'audit.db')
  const store = createSqliteAudit({ file, keepFor: KEEP_FOR })
  await store.open()
  const database = new DatabaseSync(file)
  return {
    ...bySql(
      async (sql, ...values) => database.prepare(sql).run(...values),
      async (sql, id) => database.prepare(sql).all(id),
    ),
    store,
    async dispose() {
      database.close()
      await store.close()
      await rm(folder, { recursive: true })
    },
  }
}

async function openPostgres(): Promise<Storage> {
  const schema = `audit_attack_${randomUUID().replaceAll('-', '')}`
  const admin = new Client(POSTGRES_URL)
  await admin.connect()
  await admin.query(`CREATE SCHEMA ${schema}`)
  const pool = new Pool({ connectionString: POSTGRES_URL, options: `-c search_path=${schema}` })
  const store = createPostgresAudit({ pool, keepFor: KEEP_FOR })
  await store.open()
  return {
    ...bySql(
      (sql, ...values) => {
        let place = 0
        return pool.query(
          sql.replaceAll('?', () => `$${++place}`),
          values,
        )
      },
      async (sql, id) => (await pool.query(sql.replace('?', '$1'), [id])).rows,
    ),
    store,
    async dispose() {
      await pool.end()
      await admin.query(`DROP SCHEMA ${schema} CASCADE`)
      await admin.end()
    },
  }
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
