import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { Pool } from 'pg'
import { inCi, POSTGRES_URL, reachable } from './servers.ts'
import { postgresBefore, sqliteBefore } from './version-before.ts'

const RECORDS = 1_000_000
/** How long the version before waits for a lock here, in milliseconds: far shorter than in practice. */
const PATIENCE = 150

/** Three processes that migrate at once; resolves when the last is done. */
async function migrateInThree(where: string[]): Promise<() => Promise<void>> {
  const script = join(import.meta.dirname, 'migration-process.ts')
  const children = await Promise.all(
    [1, 2, 3].map(async () => {
      const child = fork(script, where, { execArgv: ['--no-warnings'] })
      await once(child, 'message')
      return child
    }),
  )
  return async () => {
    await Promise.all(
      children.map(async (child) => {
        const exit = once(child, 'exit')
        child.send('go')
        expect(await exit).to.deep.equal([0, null])
      }),
    )
  }
}

/** Works until the other is done, and a little after; resolves how often. */
async function meanwhile(other: Promise<void>, work: (i: number) => unknown): Promise<number> {
  let done = false
  const ended = other.finally(() => {
    done = true
  })
  let i = 0
  for (; !done; i += 1) {
    await work(i)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await ended
  for (const until = i + 20; i < until; i += 1) await work(i)
  return i
}

describe('a storage of the version before with a million records, migrated by three processes', () => {
  it('on PostgreSQL: no reader and no writer of that version waits long for a lock', async function () {
    if (!inCi && !(await reachable(POSTGRES_URL, 5432))) this.skip()
    const schema = `test_${randomBytes(6).toString('hex')}`
    const before = postgresBefore(`${schema}.oidc_records`)
    const pool = new Pool({
      connectionString: POSTGRES_URL,
      options: `-c lock_timeout=${PATIENCE}`,
    })
    await pool.query(`CREATE SCHEMA ${schema}`)
    try {
      await pool.query(before.schema)
      await pool.query(
        `INSERT INTO ${schema}.oidc_records (model, id, payload)
         SELECT 'AccessToken', lpad(i::text, 43, '0'), '{"n":' || i || '}'
         FROM generate_series(1, ${RECORDS}) i`,
      )
      const migration = await migrateInThree(['postgres', POSTGRES_URL, schema])
      const cycles = await meanwhile(migration(), async (i) => {
        await pool.query(before.upsert, [`m${i}`, '{}'])
        const found = await pool.query(before.find, [`m${i}`])
        expect(found.rows).to.have.length(1)
        expect((await pool.query(before.consumeOnce, [`m${i}`])).rowCount).to.equal(1)
      })
      const { rows } = await pool.query(
        `SELECT count(*)::int AS valid FROM pg_index
         WHERE indrelid = '${schema}.oidc_records'::regclass AND indisvalid`,
      )
      expect(rows).to.deep.equal([{ valid: 10 }])
      console.log(`      ${cycles} records written, read and consumed meanwhile`)
    } finally {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`)
      await pool.end()
    }
  })

  it('on SQLite: no reader and no writer of that version waits long for a lock', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'adapters-sqlite-'))
    const file = join(folder, 'million.db')
    const database = new DatabaseSync(file)
    database.exec(`${sqliteBefore.schema}; PRAGMA synchronous = NORMAL;
      INSERT INTO oidc_records (model, id, payload)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${RECORDS})
      SELECT 'AccessToken', printf('%043d', i), '{}' FROM n;
      PRAGMA busy_timeout = ${PATIENCE}`)
    const upsert = database.prepare(sqliteBefore.upsert)
    const find = database.prepare(sqliteBefore.find)
    const consumeOnce = database.prepare(sqliteBefore.consumeOnce)
    const migration = await migrateInThree(['sqlite', file])
    const cycles = await meanwhile(migration(), (i) => {
      upsert.run('SubjectToken', `m${i}`, '{}', 9e12, 1)
      expect(find.get('SubjectToken', `m${i}`, 1)).to.include({ payload: '{}' })
      expect(consumeOnce.run('SubjectToken', `m${i}`, 1, 1).changes).to.equal(1)
    })
    console.log(`      ${cycles} records written, read and consumed meanwhile`)
    expect(database.prepare('PRAGMA user_version').get()).to.include({ user_version: 1 })
    database.close()
    await rm(folder, { recursive: true })
  })
})
