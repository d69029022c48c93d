import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { AuditRow } from 'oidc-provider-impersonation-verify/format'
import { Client, Pool } from 'pg'
import { runsOn } from '../../../../test/adapters/servers.ts'
import type { AuditStore } from '../../src/audit/store.ts'
import { rowWordsOf, searchTextOf } from '../../src/audit/stores/filter.ts'
import { createPostgresAudit } from '../../src/audit/stores/postgres/index.ts'
import { createRedisAudit } from '../../src/audit/stores/redis/index.ts'
import { redisKeys, setScores } from '../../src/audit/stores/redis/keys.ts'
import { linkParts } from '../../src/audit/stores/redis/stored.ts'
import { columnsOf, parseRow, ROW_COLUMNS } from '../../src/audit/stores/row-columns.ts'
import { createSqliteAudit } from '../../src/audit/stores/sqlite/index.ts'
import { connected, removeKeys } from '../audit/stores/redis/server.ts'
import { KEEP_FOR } from './history.ts'

const POSTGRES_URL = process.env.POSTGRES_URL ?? 'postgres://postgres@127.0.0.1/test'

/** What a person does who can write to the storage, and knows how the audit keeps things. */
export interface Storage {
  readonly store: AuditStore
  /** Writes a row, and all that searches look at. */
  putRow(row: AuditRow): Promise<unknown>
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

const names = ROW_COLUMNS.map(([name]) => name)
type Run = (sql: string, ...values: (string | number | null)[]) => Promise<unknown>

function bySql(run: Run): Omit<Storage, 'dispose' | 'store'> {
  const [ENTRY, ROW] = ['impersonation_audit_entry', 'impersonation_audit_row']
  const WORD = 'impersonation_audit_word'
  async function dropRow(id: string) {
    await run(`DELETE FROM ${ROW} WHERE id = ?`, id)
    await run(`DELETE FROM ${WORD} WHERE id = ?`, id)
  }
  const ofEntry = 'WHERE writer = ? AND sequence = ?'
  return {
    async putRow(row) {
      await dropRow(row.id)
      const columns = columnsOf(row)
      const places = names.map(() => '?').join(', ')
      const values = names.map((name) => columns[name])
      await run(`INSERT INTO ${ROW} (${names.join(', ')}) VALUES (${places})`, ...values)
      for (const word of rowWordsOf(row)) {
        await run(
          `INSERT INTO ${WORD} (word, id) VALUES (?, ?) ON CONFLICT DO NOTHING`,
          word,
          row.id,
        )
      }
    },
    dropRow,
    hideWords: (id) => run(`DELETE FROM ${WORD} WHERE id = ?`, id),
    hideAlarm: (id) => run(`UPDATE ${ROW} SET open_alarm_at = NULL WHERE id = ?`, id),
    wipe: (...link) =>
      run(`UPDATE ${ENTRY} SET text = NULL, row_id = NULL, repeat_key = NULL ${ofEntry}`, ...link),
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

/** An empty storage of each kind, which a person can write to behind the audit's back. */
export const storages: Record<string, () => Promise<Storage>> = {
  async SQLite() {
    const folder = await mkdtemp(join(tmpdir(), 'audit-attack-'))
    const file = join(folder, 'audit.db')
    const store = createSqliteAudit({ file, keepFor: KEEP_FOR })
    await store.open()
    const database = new DatabaseSync(file)
    return {
      ...bySql(async (sql, ...values) => database.prepare(sql).run(...values)),
      store,
      async dispose() {
        database.close()
        await store.close()
        await rm(folder, { recursive: true })
      },
    }
  },
  async Redis() {
    const client = await connected()
    const prefix = `audit-test-${randomUUID()}`
    const store = createRedisAudit({ client, prefix, keepFor: KEEP_FOR })
    await store.open()
    const keys = redisKeys(prefix)

    async function numberOf(writer: string, sequence: number): Promise<string> {
      const links = Object.entries(await client.hGetAll(keys.links))
      const found = links.find(([, link]) => {
        const parts = linkParts(link)
        return parts.writer === writer && parts.sequence === sequence
      })
      return found?.[0] ?? ''
    }
    async function hideWords(id: string) {
      for (const member of await client.zRange(keys.words, 0, -1)) {
        if (member.endsWith(` ${id}`)) await client.zRem(keys.words, member)
      }
    }
    async function dropRow(id: string) {
      const text = await client.hGet(keys.rows, id)
      await client.hDel(keys.rows, id)
      await client.hDel(keys.searches, id)
      await hideWords(id)
      if (!text) return
      for (const [key] of setScores(keys, parseRow(text))) await client.zRem(key, id)
    }
    async function unname(writer: string, sequence: number) {
      const n = await numberOf(writer, sequence)
      const text = (await client.hGet(keys.entries, n)) ?? ''
      const [row] = JSON.parse(text.slice(0, text.indexOf('\n')))
      await client.zRem(keys.timeline(row), n)
    }
    return {
      store,
      dropRow,
      unname,
      async putRow(row) {
        await dropRow(row.id)
        await client.hSet(keys.rows, row.id, JSON.stringify(row))
        await client.hSet(keys.searches, row.id, searchTextOf(row))
        for (const word of rowWordsOf(row)) {
          await client.zAdd(keys.words, { score: 0, value: `${word} ${row.id}` })
        }
        for (const [key, score] of setScores(keys, row)) {
          await client.zAdd(key, { score, value: row.id })
        }
      },
      hideWords,
      hideAlarm: (id) => client.zRem(keys.rowsBy('open alarm'), id),
      async wipe(writer, sequence) {
        await unname(writer, sequence)
        const n = await numberOf(writer, sequence)
        await client.hDel(keys.entries, n)
        await client.hDel(keys.counts, n)
        await client.setBit(keys.removed(writer), sequence, 1)
        const upTo = Number(await client.hGet(keys.removedUpTo, writer))
        await client.hSet(keys.removedUpTo, writer, Math.max(upTo, sequence))
      },
      async setBack(writer, sequence, hash) {
        const [number] = (await client.hGet(keys.chains, writer))?.split(' ') ?? []
        await client.hSet(keys.chains, writer, `${number} ${sequence} ${hash}`)
      },
      async recount(writer, sequence, count, lastTime) {
        await client.hSet(keys.counts, await numberOf(writer, sequence), `${count} ${lastTime}`)
      },
      async dispose() {
        await removeKeys(client, prefix)
        client.destroy()
      },
    }
  },
  async PostgreSQL() {
    const schema = `audit_attack_${randomUUID().replaceAll('-', '')}`
    const admin = new Client(POSTGRES_URL)
    await admin.connect()
    await admin.query(`CREATE SCHEMA ${schema}`)
    const pool = new Pool({ connectionString: POSTGRES_URL, options: `-c search_path=${schema}` })
    const store = createPostgresAudit({ pool, keepFor: KEEP_FOR })
    await store.open()
    return {
      ...bySql((sql, ...values) => {
        let place = 0
        return pool.query(
          sql.replaceAll('?', () => `$${++place}`),
          values,
        )
      }),
      store,
      async dispose() {
        await pool.end()
        await admin.query(`DROP SCHEMA ${schema} CASCADE`)
        await admin.end()
      },
    }
  },
}

/** The storages whose server is missing. */
export const skipped: ReadonlySet<string> = new Set(
  (
    await Promise.all(
      (['Redis', 'PostgreSQL'] as const).map(async (name) => ((await runsOn(name)) ? [] : [name])),
    )
  ).flat(),
)
