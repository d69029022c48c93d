// Over 250 lines: one database is set up, and taken through every state of the table.
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { Client, Pool } from 'pg'
import {
  createPostgresAdapter,
  migrate,
  migrationIndexSql,
  migrationSql,
} from '../../src/adapters/postgres.ts'
import { inCi, POSTGRES_URL, reachable, rejection, until } from './servers.ts'
import { postgresBefore } from './version-before.ts'

const suite = inCi || (await reachable(POSTGRES_URL, 5432)) ? describe : describe.skip

suite('createPostgresAdapter, set up', () => {
  const schema = `test_${randomBytes(6).toString('hex')}`
  const table = `${schema}.oidc_records`
  let pool: Pool

  before(async () => {
    pool = new Pool({ connectionString: POSTGRES_URL, max: 20 })
    await migrate(pool, { schema })
  })
  after(async () => {
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await pool.end()
  })

  describe('migrate', () => {
    const fresh = () => `${schema}_${randomBytes(3).toString('hex')}`

    it('runs in twenty processes at once, and again, without harm', async () => {
      const name = fresh()
      const twenty = Array.from({ length: 20 })
      await Promise.all(twenty.map(() => migrate(pool, { schema: name })))
      await Promise.all(twenty.map(() => migrate(pool, { schema: name, table: 'second' })))
      await createPostgresAdapter({ pool, schema: name })('Session').upsert('s', { uid: 'u' }, 60)
      await migrate(pool, { schema: name })
      await pool.query(migrationSql({ schema: name }))
      const found = await createPostgresAdapter({ pool, schema: name })('Session').findByUid('u')
      expect(found).to.deep.equal({ uid: 'u' })
      await pool.query(`DROP SCHEMA ${name} CASCADE`)
    })

    it('completes a table whose indices are missing', async () => {
      const name = fresh()
      await migrate(pool, { schema: name })
      await pool.query(`DROP INDEX ${name}.oidc_records_uid_idx`)
      await migrate(pool, { schema: name })
      const { rows } = await pool.query('SELECT 1 FROM pg_indexes WHERE schemaname = $1', [name])
      expect(rows).to.have.length(10)
      await pool.query(`DROP SCHEMA ${name} CASCADE`)
    })

    it('needs no right to create where nothing is to be created', async () => {
      const role = fresh()
      await pool.query(`CREATE ROLE ${role} LOGIN`)
      await pool.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`)
      await pool.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO ${role}`)
      const url = new URL(POSTGRES_URL)
      url.username = role
      const narrow = new Pool({ connectionString: url.href })
      await migrate(narrow, { schema })
      const adapter = createPostgresAdapter({ pool: narrow, schema })('SubjectToken')
      await adapter.upsert('narrow', {}, 60)
      expect(await adapter.consumeOnce('narrow')).to.equal(true)
      await narrow.end()
      await pool.query(`DROP OWNED BY ${role}`)
      await pool.query(`DROP ROLE ${role}`)
    })

    for (const name of ['a"b', '1a', 'a-b', 'a b', 'a;b', '', 'x'.repeat(64), 'é']) {
      it(`refuses ${JSON.stringify(name)} as the name of a schema or table`, async () => {
        expect(() => migrationSql({ schema: name })).to.throw(TypeError, 'schema')
        expect(() => createPostgresAdapter({ pool, table: name })).to.throw(TypeError, 'table')
        expect(await rejection(migrate(pool, { table: name }))).to.be.instanceOf(TypeError)
      })
    }
  })

  describe('migrate, on a table of the version before', () => {
    let name: string
    let before: ReturnType<typeof postgresBefore>
    beforeEach(async () => {
      name = `${schema}_${randomBytes(3).toString('hex')}`
      before = postgresBefore(`${name}.oidc_records`)
      await pool.query(`CREATE SCHEMA ${name}`)
      await pool.query(before.schema)
      for (const id of ['a', 'b', 'c']) await pool.query(before.upsert, [id, '{"jti":"j"}'])
    })
    afterEach(() => pool.query(`DROP SCHEMA ${name} CASCADE`))

    const indices = async (): Promise<Record<string, boolean>> => {
      const { rows } = await pool.query(
        `SELECT relname, indisvalid FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
         WHERE indrelid = $1::regclass`,
        [`${name}.oidc_records`],
      )
      return Object.fromEntries(rows.map(({ relname, indisvalid }) => [relname, indisvalid]))
    }
    const expectComplete = async () => {
      const found = Object.values(await indices())
      expect(found).to.have.length(10)
      expect(found).not.to.include(false)
    }

    it('works beside that version, and neither consumes what the other ended or consumed', async () => {
      await pool.query(before.consumeOnce, ['a'])
      await migrate(pool, { schema: name })
      await expectComplete()
      const adapter = createPostgresAdapter({ pool, schema: name })('SubjectToken')
      expect(await adapter.consumeOnce('a')).to.equal(false)
      expect(await adapter.endOnce('b', { at: 1 })).to.equal(true)
      expect((await pool.query(before.consumeOnce, ['b'])).rowCount).to.equal(0)
      expect(await adapter.consumeOnce('c', { actor: 'olivia' })).to.equal(true)
      expect((await pool.query(before.consumeOnce, ['c'])).rowCount).to.equal(0)
      expect((await pool.query(before.find, ['b'])).rows).to.deep.equal([
        { payload: '{"jti":"j"}', consumed: 0 },
      ])
      expect(await adapter.find('b')).to.deep.equal({ jti: 'j', end: { at: 1 } })
      await pool.query(before.upsert, ['late', '{}'])
      expect(await adapter.consumeOnce('late')).to.equal(true)
    })

    it('is asked for where it has not run, by check() too; other models work', async () => {
      const factory = createPostgresAdapter({ pool, schema: name })
      const adapter = factory('SubjectToken')
      const check = 'check' in adapter ? adapter.check : undefined
      for (const call of [
        () => check?.call(adapter),
        () => adapter.find('a'),
        () => adapter.consumeOnce('a'),
        () => adapter.upsert('a', {}, 60),
        () => adapter.list({}, 1),
      ]) {
        expect((await rejection(Promise.resolve(call()))).message).to.contain('Run migrate()')
      }
      const session = factory('Session')
      await session.upsert('s', { uid: 'u' }, 60)
      expect(await session.consumeOnce('s')).to.equal(true)
      expect(await session.findByUid('u')).to.include({ uid: 'u' })
      await migrate(pool, { schema: name })
      await check?.call(adapter)
    })

    it('runs in ten processes at once, and again', async () => {
      const ten = Array.from({ length: 10 })
      await Promise.all(ten.map(() => migrate(pool, { schema: name })))
      await expectComplete()
      await migrate(pool, { schema: name, timeoutMs: 0 })
    })

    it('stands back for a transaction that uses the table, and lets others through', async () => {
      const holder = await pool.connect()
      await holder.query('BEGIN')
      await holder.query(before.find, ['a'])
      const impatient = await rejection(migrate(pool, { schema: name, timeoutMs: 300 }))
      expect(impatient.message).to.match(/is not migrated yet.*lock timeout.*Call it again/)

      let migrated = false
      const migration = migrate(pool, { schema: name }).then(() => {
        migrated = true
      })
      for (let i = 0; i < 8; i += 1) {
        await pool.query(before.find, ['a'])
        await pool.query(before.upsert, ['b', '{}'])
      }
      expect(migrated).to.equal(false)
      await holder.query('COMMIT')
      holder.release()
      await migration
      await expectComplete()
    })

    it('builds an index anew whose build was killed', async () => {
      const reader = await pool.connect()
      await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
      await reader.query('SELECT 1 FROM pg_class')
      const client = new Client({ connectionString: POSTGRES_URL })
      client.on('error', () => {})
      await client.connect()
      const killed = rejection(migrate(client, { schema: name }))
      // a concurrent build waits for the snapshot of every older transaction
      await until(async () => Object.values(await indices()).includes(false))
      await pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE query LIKE 'CREATE INDEX CONCURRENTLY%' AND query LIKE '%' || $1 || '%'`,
        [name],
      )
      expect(await killed).to.be.instanceOf(Error)
      await reader.query('COMMIT')
      reader.release()
      expect(Object.values(await indices())).to.include(false)
      await migrate(pool, { schema: name })
      await expectComplete()
    })

    it('waits for its turn outside the database, and says so when it does not come', async () => {
      const key = `hashtext('oidc-provider-impersonation migrate'), hashtext('"${name}"."oidc_records"')`
      const holder = await pool.connect()
      await holder.query(`SELECT pg_advisory_lock(${key})`)
      const late = await rejection(migrate(pool, { schema: name, timeoutMs: 50 }))
      expect(late.message).to.match(/is not migrated yet.*another process/)
      const migration = migrate(pool, { schema: name })
      await holder.query(`SELECT pg_advisory_unlock(${key})`)
      holder.release()
      await migration
      await expectComplete()
    })

    it('leaves a Client as it was', async () => {
      const client = new Client({ connectionString: POSTGRES_URL, query_timeout: 20_000 })
      await client.connect()
      await client.query("SET statement_timeout = '7s'")
      await migrate(client, { schema: name })
      const { rows } = await client.query(
        `SELECT current_setting('statement_timeout') AS statement,
           current_setting('lock_timeout') AS lock,
           (SELECT count(*)::int FROM pg_locks WHERE pid = pg_backend_pid()
             AND locktype = 'advisory') AS advisory`,
      )
      expect(rows).to.deep.equal([{ statement: '7s', lock: '0', advisory: 0 }])
      await client.end()
    })

    it('lets an index take longer than the time-outs for requests', async () => {
      const reader = await pool.connect()
      await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
      await reader.query('SELECT 1 FROM pg_class')
      const limits = { query_timeout: 1000, statement_timeout: 1000 }
      const limited = new Pool({ connectionString: POSTGRES_URL, ...limits })
      const migration = migrate(limited, { schema: name })
      await until(async () => Object.values(await indices()).includes(false))
      await reader.query('SELECT pg_sleep(1.3)')
      await reader.query('COMMIT')
      reader.release()
      await migration
      await limited.end()
      await expectComplete()
    })

    it('refuses what may send each query over another connection', async () => {
      const bare = { query: (query: { text: string; values?: unknown[] }) => pool.query(query) }
      const error = await rejection(migrate(bare, { schema: name }))
      expect(error).to.be.instanceOf(TypeError)
      expect(error.message).to.contain('needs a Pool or a Client of pg')
      expect(await rejection(migrate(pool, { timeoutMs: -1 }))).to.be.instanceOf(TypeError)
    })

    it('can be done by hand: migrationSql() for columns, migrationIndexSql() for indices', async () => {
      await pool.query(migrationSql({ schema: name }))
      await pool.query(migrationSql({ schema: name }))
      expect(Object.keys(await indices())).to.have.length(5)
      for (const statement of migrationIndexSql({ schema: name })) await pool.query(statement)
      await expectComplete()
      const missing = fakePoolWithoutRights()
      await migrate(missing, { schema: name })
    })

    /** Fails if anything is created, dropped or locked. */
    function fakePoolWithoutRights() {
      return {
        query(query: { text: string; values?: unknown[] }) {
          expect(query.text).to.match(/^\s*SELECT/)
          return pool.query(query)
        },
      }
    }
  })

  describe('says what to do', () => {
    it('when the table is missing', async () => {
      const adapter = createPostgresAdapter({ pool, table: 'no_such_table' })('SubjectToken')
      const error = await rejection(adapter.find('a'))
      expect(error.message).to.match(/"no_such_table" is not there. Run migrate\(\)/)
      expect(error).to.include({ code: '42P01' })
      expect(error).to.include({ name: 'StorageError', driverError: 'error' })
    })

    it('when the schema is missing', async () => {
      const adapter = createPostgresAdapter({ pool, schema: 'no_such_schema' })('SubjectToken')
      expect((await rejection(adapter.upsert('a', {}, 60))).message).to.contain('migrate()')
    })

    it('when the role lacks rights', async () => {
      const role = `${schema}_poor`
      await pool.query(`CREATE ROLE ${role} LOGIN`)
      await pool.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`)
      await pool.query(`GRANT SELECT ON ${table} TO ${role}`)
      const url = new URL(POSTGRES_URL)
      url.username = role
      const poor = new Pool({ connectionString: url.href })
      const adapter = createPostgresAdapter({ pool: poor, schema })('SubjectToken')
      expect(await adapter.find('a')).to.equal(undefined)
      const error = await rejection(adapter.consumeOnce('a'))
      expect(error.message).to.match(/GRANT SELECT, INSERT, UPDATE, DELETE ON/)
      await poor.end()
      await pool.query(`DROP OWNED BY ${role}`)
      await pool.query(`DROP ROLE ${role}`)
    })

    it('when the session is read-only', async () => {
      const standby = new Pool({
        connectionString: POSTGRES_URL,
        options: '-c default_transaction_read_only=on',
      })
      const adapter = createPostgresAdapter({ pool: standby, schema })('SubjectToken')
      expect((await rejection(adapter.consumeOnce('a'))).message).to.contain('primary')
      await standby.end()
    })

    it('when the table is another one', async () => {
      await pool.query(`CREATE TABLE ${schema}.other (id text)`)
      const adapter = createPostgresAdapter({ pool, schema, table: 'other' })('SubjectToken')
      expect((await rejection(adapter.find('a'))).message).to.contain('a column is missing')
      const error = await rejection(migrate(pool, { schema, table: 'other' }))
      expect(error.message).to.contain('the table of another program')
      const { rows } = await pool.query(
        "SELECT 1 FROM information_schema.columns WHERE table_schema = $1 AND table_name = 'other'",
        [schema],
      )
      expect(rows).to.have.length(1)
    })
  })
})
