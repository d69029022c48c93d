import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { createPostgresAdapter, migrate } from '../../src/adapters/postgres/index.ts'
import { createRedisAdapter } from '../../src/adapters/redis/index.ts'
import { createSqliteAdapter, type SqliteAdapterFactory } from '../../src/adapters/sqlite/index.ts'
import { newFolder } from '../support/folder.ts'
import { errorsOf, expectNothingPlanted, PAYLOAD, PLANTED } from './planted.ts'
import { ownSchema } from './postgres/schema.ts'
import { openIoredis, openNodeRedis } from './redis/clients.ts'
import { freePort, type PrivateRedis, rejection, startRedis, suiteOn } from './servers.ts'

const MODEL = 'AccessToken'
const redisSuite = await suiteOn('redis-server')
const postgresSuite = await suiteOn('PostgreSQL')

redisSuite('I6: no error of the Redis adapter holds a key or a value', () => {
  let server: PrivateRedis
  let admin: Redis
  const key = (index: string, value: string) => `oidc:${MODEL}:${index}:${value}`

  before(async () => {
    server = await startRedis('--appendonly', 'yes')
    admin = new Redis(server.port)
  })
  after(async () => {
    admin.disconnect()
    await server.kill()
  })

  const drivers = { ioredis: openIoredis, 'node-redis': openNodeRedis }
  for (const [driver, open] of Object.entries(drivers)) {
    it(`with ${driver}: a key of the wrong type, nobody listens, a server that says nothing`, async () => {
      const { client, close } = await open(`redis://127.0.0.1:${server.port}`)
      await admin.set(key('id', PLANTED.id), 'text')
      await admin.hset(key('uid', PLANTED.uid), 'a', 'b')
      const wrong = await errorsOf(createRedisAdapter({ client })(MODEL))
      await admin.flushall()
      for (const method of ['upsert', 'find', 'findByUid']) {
        expect(wrong.get(method), method).to.include({ code: 'WRONGTYPE' })
      }
      expect(wrong.get('find')?.message).to.match(/^Redis failed: \w+Error WRONGTYPE$/)
      expect(wrong.get('find')?.driverError).to.match(/^(ReplyError|Error|SimpleError)$/)

      const lost = await open(`redis://127.0.0.1:${await freePort()}`)
      expect(await errorsOf(createRedisAdapter({ client: lost.client })(MODEL))).to.have.property(
        'size',
        8,
      )

      server.process.kill('SIGSTOP')
      const options = { client, commandTimeoutMs: 100, keyPrefix: 'silent:' }
      const silent = await errorsOf(createRedisAdapter(options)(MODEL))
      server.process.kill('SIGCONT')
      close()
      expect(silent).to.have.property('size', 8)
      expect(silent.get('find')?.message).to.equal('Redis did not answer within 100 ms')
    })
  }

  it('a driver that rejects with something else, and one that throws', async () => {
    for (const client of [
      (args: string[]) => Promise.reject(args),
      (args: string[]) => Promise.reject(Object.assign(new Error(args.join(' ')), { args })),
      (args: string[]): Promise<never> => {
        throw Object.assign(new TypeError(`no ${args.at(-1)}`), { cause: args, code: args.at(-1) })
      },
    ]) {
      expect(await errorsOf(createRedisAdapter({ client })(MODEL))).to.have.property('size', 8)
    }
  })

  it('what stands in the store and is no JSON', async () => {
    await admin.hset(key('id', PLANTED.id), 'payload', JSON.stringify(PAYLOAD).slice(1))
    const error = await rejection(createRedisAdapter({ client: admin })(MODEL).find(PLANTED.id))
    await admin.flushall()
    expect(error).to.be.instanceOf(TypeError)
    expectNothingPlanted(error, 'find')
  })
})

postgresSuite('I6: no error of the PostgreSQL adapter holds a key or a value', () => {
  const { schema, table, pool } = ownSchema()

  afterEach(async () => {
    await pool.query(`DROP TABLE ${table}`)
    await migrate(pool, { schema })
  })

  const troubles: Record<string, [sql: string, method: string, code: string]> = {
    'a unique violation, whose detail names the row': [
      `CREATE UNIQUE INDEX ON ${table} (uid);
       INSERT INTO ${table} (model, id, payload, uid) VALUES ('M', 'x', '{}', '${PLANTED.uid}')`,
      'upsert',
      '23505',
    ],
    'a column of another type, with the value in the message': [
      `ALTER TABLE ${table} ALTER id TYPE uuid USING NULL`,
      'find',
      '22P02',
    ],
    'a trigger that says the value': [
      `CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE EXCEPTION 'not %, of %', left(NEW.id, 30), NEW.payload USING HINT = NEW.uid; END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION ${schema}.refuse()`,
      'upsert',
      'P0001',
    ],
  }
  for (const [what, [sql, method, code]] of Object.entries(troubles)) {
    it(what, async () => {
      await pool.query(sql)
      const adapter = createPostgresAdapter({ pool, schema, prepare: false })(MODEL)
      expect((await errorsOf(adapter)).get(method)).to.include({ code })
    })
  }

  it('nobody listens, at a name with several addresses too', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const lost = new Pool({ host, port: await freePort(), user: 'postgres', database: 'test' })
      const errors = await errorsOf(createPostgresAdapter({ pool: lost, schema })(MODEL))
      expect(errors).to.have.property('size', 8)
      expect(errors.get('find')).to.include({ code: 'ECONNREFUSED' })
      await lost.end()
    }
  })
})

describe('I6: no error of the SQLite and memory adapters holds a key or a value', () => {
  let other: DatabaseSync
  let factory: SqliteAdapterFactory
  beforeEach(() => {
    const file = join(newFolder(), 'oidc.db')
    factory = createSqliteAdapter({ file, busyTimeoutMs: 0 })
    other = new DatabaseSync(file)
  })
  afterEach(() => {
    factory.close()
    other.close()
  })

  const troubles: Record<string, [sql: string, method: string, resultCode: number]> = {
    'a trigger that says the value': [
      `CREATE TRIGGER t BEFORE INSERT ON oidc_records
       BEGIN SELECT RAISE(ABORT, 'not ${PLANTED.id.slice(0, 30)}'); END`,
      'upsert',
      1811,
    ],
    'a table that is gone': ['DROP TABLE oidc_records', 'find', 1],
    'a file that is locked': ['BEGIN IMMEDIATE', 'upsert', 5],
  }
  for (const [what, [sql, method, resultCode]] of Object.entries(troubles)) {
    it(what, async () => {
      other.exec(sql)
      expect((await errorsOf(factory(MODEL))).get(method)).to.include({
        message: `SQLite failed: ERR_SQLITE_ERROR ${resultCode}`,
        code: 'ERR_SQLITE_ERROR',
        driverError: 'Error',
      })
    })
  }

  it('what stands in the store and is no JSON, and a file that is closed', async () => {
    await factory(MODEL).upsert(PLANTED.id, PAYLOAD, 60)
    other.exec('UPDATE oidc_records SET payload = substr(payload, 2)')
    const error = await rejection(factory(MODEL).find(PLANTED.id))
    expect(error).to.be.instanceOf(TypeError)
    expectNothingPlanted(error, 'find')
    factory.close()
    expect(await errorsOf(factory(MODEL))).to.have.property('size', 8)
  })

  it('memory: a life that is no number', async () => {
    const error = await rejection(
      createMemoryAdapter()(MODEL).upsert(PLANTED.id, PAYLOAD, Number.NaN),
    )
    expect(error).to.be.instanceOf(TypeError)
    expectNothingPlanted(error, 'upsert')
  })
})
