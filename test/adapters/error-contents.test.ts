// Over 250 lines: one table of faults, run against every driver.
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { Pool } from 'pg'
import { createClient } from 'redis'
import { createPostgresAdapter, migrate } from '../../src/adapters/postgres/index.ts'
import { createRedisAdapter, type RedisClient } from '../../src/adapters/redis/index.ts'
import { deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'
import { errorsOf, expectNothingPlanted, PAYLOAD, PLANTED } from './planted.ts'
import { freePort, POSTGRES_URL, type PrivateRedis, startRedis, suiteOn } from './servers.ts'

const MODEL = 'AccessToken'
const redisSuite = await suiteOn('redis-server')
const postgresSuite = await suiteOn('PostgreSQL')

redisSuite('I6: no error of the Redis adapter holds a key or a value', function () {
  this.timeout(30_000)
  let server: PrivateRedis
  let admin: Redis

  before(async () => {
    const started = await startRedis('--appendonly', 'yes')
    if (!started) throw new Error('redis-server did not start')
    server = started
    admin = new Redis(server.port)
    await admin.call('ACL', 'SETUSER', 'reader', 'on', 'nopass', '~*', '+@all', '-@scripting')
    await admin.call('ACL', 'SETUSER', 'elsewhere', 'on', 'nopass', '~other:*', '+@all')
  })
  afterEach(async () => {
    await admin.config('SET', 'maxmemory', '0')
    await admin.call('REPLICAOF', 'NO', 'ONE')
    await admin.flushall()
  })
  after(async () => {
    admin.disconnect()
    await server.stop()
  })

  const drivers = {
    async ioredis(port: number, username?: string) {
      const user = username ? { username, password: 'x' } : {}
      const options = { maxRetriesPerRequest: 0, enableOfflineQueue: false, lazyConnect: true }
      const client = new Redis(port, { ...user, ...options, retryStrategy: () => null })
      client.on('error', () => {})
      await client.connect().catch(() => {})
      return { client: client as RedisClient, close: () => client.disconnect() }
    },
    async 'node-redis'(port: number, username?: string) {
      const client = createClient({
        url: `redis://${username ? `${username}:x@` : ''}127.0.0.1:${port}`,
        disableOfflineQueue: true,
        socket: { reconnectStrategy: false },
      })
      client.on('error', () => {})
      await client.connect().catch(() => {})
      return {
        client: client as RedisClient,
        close: () => {
          if (client.isOpen) client.destroy()
        },
      }
    },
  }

  for (const [driver, open] of Object.entries(drivers)) {
    describe(`with ${driver}`, () => {
      async function failing(port: number, username?: string) {
        const { client, close } = await open(port, username)
        const errors = await errorsOf(
          createRedisAdapter({ client, commandTimeoutMs: 15_000 })(MODEL),
        )
        close()
        return errors
      }

      it('a key of the wrong type (WRONGTYPE)', async () => {
        const key = (index: string, value: string) => `oidc:${MODEL}:${index}:${value}`
        await admin.set(key('id', PLANTED.id), 'text')
        await admin.hset(key('uid', PLANTED.uid), 'a', 'b')
        await admin.hset(key('userCode', PLANTED.userCode), 'a', 'b')
        await admin.set(key('grant', PLANTED.grantId), 'text')
        const errors = await failing(server.port)
        for (const method of ['upsert', 'find', 'findByUid', 'findByUserCode', 'revokeByGrantId']) {
          expect(errors.get(method), method).to.include({ code: 'WRONGTYPE' })
        }
        expect(errors.get('find')?.message).to.match(/^Redis failed: \w+Error WRONGTYPE$/)
        expect(errors.get('find')?.driverError).to.match(/^(ReplyError|Error|SimpleError)$/)
      })

      it('no memory (OOM)', async () => {
        await admin.config('SET', 'maxmemory', '1')
        expect((await failing(server.port)).get('upsert')).to.include({ code: 'OOM' })
      })

      it('a read-only replica (READONLY)', async () => {
        await admin.call('REPLICAOF', '127.0.0.1', '1')
        expect((await failing(server.port)).get('upsert')).to.include({ code: 'READONLY' })
      })

      it('commands and keys that are forbidden (NOPERM)', async () => {
        expect((await failing(server.port, 'reader')).get('upsert')).to.include({ code: 'NOPERM' })
        const errors = await failing(server.port, 'elsewhere')
        expect(errors).to.have.all.keys(
          ...['upsert', 'find', 'findByUid', 'findByUserCode'],
          ...['consume', 'consumeOnce', 'destroy', 'revokeByGrantId'],
        )
      })

      it('commands that the server does not know, and quotes with their arguments', async () => {
        const renamed = ['EVALSHA', 'HMGET', 'GET', 'ZRANGE'].flatMap((name) => [
          ...['--rename-command', name, ''],
        ])
        const narrow = await startRedis(...renamed)
        if (!narrow) throw new Error('redis-server did not start')
        const errors = await failing(narrow.port).finally(() => narrow.stop())
        expect(errors.size).to.equal(8)
        expect(errors.get('find')?.message).to.match(/^Redis failed: \w+Error ERR$/)
      })

      it('nobody listens, and a server that says nothing', async () => {
        expect(await failing(await freePort())).to.have.property('size', 8)
        const { client, close } = await open(server.port)
        server.process.kill('SIGSTOP')
        try {
          const errors = await errorsOf(
            createRedisAdapter({ client, commandTimeoutMs: 100 })(MODEL),
          )
          expect(errors.get('find')?.message).to.equal('Redis did not answer within 100 ms')
          expect(errors).to.have.property('size', 8)
        } finally {
          server.process.kill('SIGCONT')
          close()
        }
      })
    })
  }

  it('a driver that rejects with something else, and one that throws', async () => {
    for (const reject of [
      (args: string[]) => Promise.reject(args),
      (args: string[]) => Promise.reject(Object.assign(new Error(args.join(' ')), { args })),
      (args: string[]): Promise<never> => {
        throw Object.assign(new TypeError(`no ${args.at(-1)}`), { cause: args, code: args.at(-1) })
      },
    ]) {
      expect(await errorsOf(createRedisAdapter({ client: reject })(MODEL))).to.have.property(
        'size',
        8,
      )
    }
  })

  it('what stands in the store and is no JSON', async () => {
    await admin.hset(`oidc:${MODEL}:id:${PLANTED.id}`, 'payload', JSON.stringify(PAYLOAD).slice(1))
    const error = await createRedisAdapter({ client: admin })(MODEL)
      .find(PLANTED.id)
      .catch((reason: unknown) => reason)
    expect(error).to.be.instanceOf(TypeError)
    expectNothingPlanted(error, 'find')
  })

  it('the opaque actor token in no server_error event, where its key is of the wrong type', async () => {
    const client = new Redis(server.port)
    const deployment = await deploy({ configuration: { adapter: createRedisAdapter({ client }) } })
    const actor_token = (await signIn(deployment, 'olivia', { scope: 'openid' })).access_token
    const subject_token = await deployment.subjectToken()
    await client.del(`oidc:AccessToken:id:${actor_token}`)
    await client.set(`oidc:AccessToken:id:${actor_token}`, 'text')
    const { status } = await deployment.exchange({ subject_token, actor_token })
    expect(status).to.equal(500)
    expect(deployment.serverErrors).to.have.length(1)
    expectNothingPlanted(deployment.serverErrors[0], 'server_error', { actor_token, subject_token })
    await deployment.close()
    client.disconnect()
  })
})

postgresSuite('I6: no error of the PostgreSQL adapter holds a key or a value', () => {
  const schema = `test_${randomBytes(6).toString('hex')}`
  const table = `${schema}.oidc_records`
  let pool: Pool

  beforeEach(async () => {
    pool = new Pool({ connectionString: POSTGRES_URL, max: 2 })
    await migrate(pool, { schema })
  })
  afterEach(async () => {
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await pool.end()
  })

  const failing = () => errorsOf(createPostgresAdapter({ pool, schema, prepare: false })(MODEL))

  const troubles: Record<string, { sql: string; method: string; code: string }> = {
    'a unique violation, whose detail names the row': {
      sql: `CREATE UNIQUE INDEX ON ${table} (uid);
            INSERT INTO ${table} (model, id, payload, uid) VALUES ('M', 'x', '{}', '${PLANTED.uid}')`,
      method: 'upsert',
      code: '23505',
    },
    'a row that a constraint refuses, with the row in the detail': {
      sql: `ALTER TABLE ${table} ADD CHECK (length(payload) < 5)`,
      method: 'upsert',
      code: '23514',
    },
    'a value that is too long': {
      sql: `ALTER TABLE ${table} ALTER id TYPE varchar(5)`,
      method: 'upsert',
      code: '22001',
    },
    'a column of another type, with the value in the message': {
      sql: `ALTER TABLE ${table} ALTER id TYPE uuid USING NULL`,
      method: 'find',
      code: '22P02',
    },
    'a payload column of another type, with the payload in the message': {
      sql: `ALTER TABLE ${table} ALTER payload TYPE integer USING 1`,
      method: 'upsert',
      code: '22P02',
    },
    'a trigger that says the value': {
      sql: `CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS
              $$ BEGIN RAISE EXCEPTION 'not %, of %', left(NEW.id, 30), NEW.payload USING HINT = NEW.uid; END $$;
            CREATE TRIGGER refuse BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION ${schema}.refuse()`,
      method: 'upsert',
      code: 'P0001',
    },
    'a table that is gone': { sql: `DROP TABLE ${table}`, method: 'consumeOnce', code: '42P01' },
    'a column that is gone': {
      sql: `ALTER TABLE ${table} DROP COLUMN consumed_at`,
      method: 'find',
      code: '42703',
    },
  }
  for (const [what, { sql, method, code }] of Object.entries(troubles)) {
    it(what, async () => {
      await pool.query(sql)
      const error = (await failing()).get(method)
      expect(error).to.include({ code })
      expect(error?.message).to.have.length.above(10)
    })
  }

  it('a session that is read-only, and a transaction that failed', async () => {
    const client = await pool.connect()
    await client.query('SET default_transaction_read_only = on')
    const adapter = createPostgresAdapter({ pool: client, schema })(MODEL)
    expect((await errorsOf(adapter)).get('upsert')).to.include({ code: '25006' })
    await client.query('BEGIN')
    await client.query('SELECT 1/0').catch(() => {})
    expect((await errorsOf(adapter)).get('find')).to.include({ code: '25P02' })
    await client.query('ROLLBACK')
    client.release(true)
  })

  it('nobody listens, at a name with several addresses too', async () => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const lost = new Pool({ host, port: await freePort(), user: 'postgres', database: 'test' })
      const errors = await errorsOf(createPostgresAdapter({ pool: lost, schema })(MODEL))
      expect(errors).to.have.property('size', 8)
      expect(errors.get('find')?.message).to.include('ECONNREFUSED')
      expect(errors.get('find')).to.include({ code: 'ECONNREFUSED' })
      await lost.end()
    }
  })
})
