import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createPool, type Pool, type PoolConnection, type RowDataPacket } from 'mysql2/promise'
import type { Configuration } from 'oidc-provider'
import { MysqlAdapter, table } from '../../examples/recipes/mysql.ts'
import { adapterContract } from '../../packages/testing/src/adapters/index.ts'
import { MYSQL_URL, suiteOn, until } from '../adapters/servers.ts'
import { deploy } from '../support/deployment.ts'
import { race } from './race.ts'

/** The recipe on a pool of its own. */
function openMysql(database: string) {
  const pool = createPool({ uri: MYSQL_URL, database, connectionLimit: 10 })
  return { pool, factory: (model: string) => new MysqlAdapter(model, pool) }
}

const suite = await suiteOn('MySQL')

suite('The recipe for MySQL and MariaDB, on MariaDB', () => {
  const database = `recipe_${randomBytes(6).toString('hex')}`
  let server: Pool
  let first: ReturnType<typeof openMysql>
  let second: ReturnType<typeof openMysql>

  before(async () => {
    server = createPool({ uri: MYSQL_URL })
    await server.query(`CREATE DATABASE ${database}`)
    first = openMysql(database)
    second = openMysql(database)
    await first.pool.query(table)
  })
  after(async () => {
    await first?.pool.end()
    await second?.pool.end()
    await server.query(`DROP DATABASE ${database}`)
    await server.end()
  })

  adapterContract({
    ending: true,
    describe,
    it,
    create: () => first.factory,
    async advance(seconds) {
      await first.pool.query('UPDATE oidc_records SET expiresAt = expiresAt - ?', [seconds * 1000])
    },
    async leaveExpired() {
      await first.pool.query('UPDATE oidc_records SET expiresAt = 1')
    },
    async createBroken() {
      const closed = openMysql(database)
      await closed.pool.end()
      return closed.factory
    },
  })

  race(() => [first.factory, second.factory])

  it('runs again what the database took back because of a deadlock', async () => {
    const adapter = first.factory('SubjectToken')
    const ids = ['deadlock-0', 'deadlock-1']
    for (const id of ids) await adapter.upsert(id, { jti: id, grantId: 'deadlock' }, 60)
    for (let i = 0; i < 20; i += 1) await adapter.upsert(`weight-${i}`, {}, 60)
    // The database takes back the transaction that has changed fewer rows.
    const other = await second.pool.getConnection()
    const change = "UPDATE oidc_records SET note = '{}' WHERE model = 'SubjectToken' AND id"
    await other.beginTransaction()
    await other.query(`${change} LIKE 'weight-%'`)
    await other.query(`${change} = ?`, [ids[1]])

    const revoked = adapter.revokeByGrantId('deadlock')
    await until(() => isWaiting(other, database))
    await other.query(`${change} = ?`, [ids[0]])
    await other.commit()
    other.release()
    await revoked
    assert.deepEqual(await Promise.all(ids.map((id) => adapter.find(id))), [undefined, undefined])
  })

  describe("a users' table with the defaults of the database", () => {
    /** Answers of an issue for each id, and the line of check(), with one way to name the account. */
    async function tryOut(idOf: (asked: string, stored: string) => string) {
      const findAccount: Configuration['findAccount'] = async (_ctx, sub) => {
        const select = 'SELECT id FROM users WHERE id = ?'
        const [[row]] = await first.pool.query<RowDataPacket[]>(select, [sub])
        return row && { accountId: idOf(sub, row.id), claims: () => ({ sub: row.id }) }
      }
      await using deployment = await deploy({
        configuration: { findAccount },
        impersonation: { authorize: ({ account }) => account.accountId !== 'root' },
      })
      const statuses: number[] = []
      for (const userId of ['alice', 'root', 'ROOT', 'röot', 'root ']) {
        statuses.push((await deployment.issue({ userId })).status)
      }
      const list = await deployment.provider.impersonation.check()
      return { statuses, ok: list.find(({ id }) => id === 'account_ids')?.ok }
    }

    before(async () => {
      await first.pool.query('CREATE TABLE users (id varchar(64) PRIMARY KEY)')
      await first.pool.query("INSERT INTO users VALUES ('root'), ('alice')")
    })

    it('has no other spelling of an administrator, where findAccount answers the stored id', async () => {
      const { statuses, ok } = await tryOut((_asked, stored) => stored)
      assert.deepEqual(statuses, [201, 403, 404, 404, 400])
      assert.equal(ok, true)
    })

    it('has them where findAccount answers what it was asked for, and check() says so', async () => {
      const { statuses, ok } = await tryOut((asked) => asked)
      assert.deepEqual(statuses, [201, 403, 201, 201, 400])
      assert.equal(ok, false)
    })
  })

  it('rejects within seconds where the database does not answer', async () => {
    const other = await second.pool.getConnection()
    await other.query('LOCK TABLES oidc_records WRITE')
    const adapter = first.factory('SubjectToken')
    await assert.rejects(adapter.consumeOnce('locked'), /did not answer/)
    await other.query('UNLOCK TABLES')
    other.release()
  })
})

/** Returns whether a statement waits for a row of that database. */
async function isWaiting(connection: PoolConnection, database: string): Promise<boolean> {
  const [rows] = await connection.query<RowDataPacket[]>('SHOW ENGINE INNODB STATUS')
  const waiting = /TRX HAS BEEN WAITING.*\nRECORD LOCKS .* of table `(\w+)`/g
  const found = [...String(rows[0]?.Status).matchAll(waiting)]
  return found.some(([, waitedFor]) => waitedFor === database)
}
