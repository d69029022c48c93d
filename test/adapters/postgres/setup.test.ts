import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { Client, Pool } from 'pg'
import {
  createPostgresAdapter,
  migrate,
  migrationSql,
} from '../../../src/adapters/postgres/index.ts'
import { expectRejection, POSTGRES_URL, rejection, suiteOn } from '../servers.ts'
import { ownSchema } from './schema.ts'

const suite = await suiteOn('PostgreSQL')

suite('createPostgresAdapter, set up', () => {
  const { schema, table, pool } = ownSchema()

  /** A pool of a role that has these rights to the table. */
  async function withRights(rights: string, use: (pool: Pool) => Promise<void>): Promise<void> {
    const role = `role_${randomBytes(6).toString('hex')}`
    await pool.query(`CREATE ROLE ${role} LOGIN`)
    await pool.query(`GRANT USAGE ON SCHEMA ${schema} TO ${role}`)
    await pool.query(`GRANT ${rights} ON ${table} TO ${role}`)
    const url = new URL(POSTGRES_URL)
    url.username = role
    const narrow = new Pool({ connectionString: url.href })
    await use(narrow)
    await narrow.end()
    await pool.query(`DROP OWNED BY ${role}`)
    await pool.query(`DROP ROLE ${role}`)
  }

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
      const { rows } = await pool.query('SELECT 1 FROM pg_indexes WHERE schemaname = $1', [name])
      expect(rows).to.have.length(20)
      await pool.query(`DROP SCHEMA ${name} CASCADE`)
    })

    it('creates all in one transaction, over a Client as well: a failure leaves nothing', async () => {
      const name = fresh()
      const client = new Client({ connectionString: POSTGRES_URL })
      await client.connect()
      const failing = {
        query: (query: { text: string; values?: unknown[] }) =>
          client.query({ ...query, text: query.text.replace('COMMENT ON', 'no SQL ON') }),
      }
      expect(await rejection(migrate(failing, { schema: name }))).to.have.property('code', '42601')
      const { rows } = await client.query('SELECT to_regnamespace($1) AS found', [name])
      expect(rows).to.deep.equal([{ found: null }])
      await migrate(client, { schema: name })
      await createPostgresAdapter({ pool: client, schema: name })('SubjectToken').check?.()
      await client.query(`DROP SCHEMA ${name} CASCADE`)
      await client.end()
    })

    it('needs no right to create where nothing is to be created', async () => {
      await withRights('SELECT, INSERT, UPDATE, DELETE', async (narrow) => {
        await migrate(narrow, { schema })
        const adapter = createPostgresAdapter({ pool: narrow, schema })('SubjectToken')
        await adapter.upsert('narrow', {}, 60)
        expect(await adapter.consumeOnce('narrow')).to.equal(true)
      })
    })

    it('refuses what is no name of a schema or table', async () => {
      for (const name of ['a"b', '1a', 'a-b', 'a b', 'a;b', '', 'x'.repeat(64), 'é']) {
        expect(() => migrationSql({ schema: name })).to.throw(TypeError, 'schema')
        expect(() => createPostgresAdapter({ pool, table: name })).to.throw(TypeError, 'table')
      }
      expect(() => migrationSql({ table: 'x'.repeat(46) })).to.throw(TypeError, 'table')
    })
  })

  describe('schema_version, in the comment of the table', () => {
    let name: string
    beforeEach(async () => {
      name = `${schema}_${randomBytes(3).toString('hex')}`
      await migrate(pool, { schema: name })
    })
    afterEach(() => pool.query(`DROP SCHEMA ${name} CASCADE`))

    const comment = (text: string) =>
      pool.query(`COMMENT ON TABLE ${name}.oidc_records IS '${text}'`)
    const refusals = async () => {
      const adapter = createPostgresAdapter({ pool, schema: name })('SubjectToken')
      const started = [migrate(pool, { schema: name }), Promise.resolve(adapter.check?.())]
      return (await Promise.all(started.map(rejection))).map(({ message }) => message)
    }

    it('of a later version: refused at the start by migrate() and check(), with the way out', async () => {
      await comment('oidc-provider-impersonation schema_version 2')
      await pool.query(migrationSql({ schema: name }))
      for (const message of await refusals()) {
        expect(message).to.contain(
          `"${name}"."oidc_records" has schema_version 2, and this version`,
        )
        expect(message).to.contain('needs 1. See docs/production.md#schema_version')
      }
    })

    it('lost or never there: refused, and said how to go on', async () => {
      for (const text of ['', 'records of another program, schema_version 1']) {
        await comment(text)
        for (const message of await refusals()) {
          expect(message).to.contain('no schema_version of this package in its comment')
        }
      }
    })
  })

  describe('says what to do', () => {
    it('when the table is missing', async () => {
      const error = await rejection(
        createPostgresAdapter({ pool, table: 'no_such_table' })('SubjectToken').find('a'),
      )
      expect(error.message).to.match(/"no_such_table" is not there. Run migrate\(\)/)
      expect(error).to.include({ code: '42P01' })
      expect(error).to.include({ name: 'StorageError', driverError: 'error' })
    })

    it('when the role lacks rights', async () => {
      await withRights('SELECT', async (poor) => {
        const adapter = createPostgresAdapter({ pool: poor, schema })('SubjectToken')
        expect(await adapter.find('a')).to.equal(undefined)
        await expectRejection(adapter.consumeOnce('a'), /GRANT SELECT, INSERT, UPDATE, DELETE ON/)
      })
    })

    it('when the session is read-only', async () => {
      const standby = new Pool({
        connectionString: POSTGRES_URL,
        options: '-c default_transaction_read_only=on',
      })
      const adapter = createPostgresAdapter({ pool: standby, schema })('SubjectToken')
      await expectRejection(adapter.consumeOnce('a'), 'primary')
      await standby.end()
    })

    it('when the table is another one', async () => {
      await pool.query(`CREATE TABLE ${schema}.other (id text)`)
      const adapter = createPostgresAdapter({ pool, schema, table: 'other' })('SubjectToken')
      await expectRejection(adapter.find('a'), 'a column is missing')
      await expectRejection(migrate(pool, { schema, table: 'other' }), "it is another program's")
      const { rows } = await pool.query(
        "SELECT 1 FROM information_schema.columns WHERE table_schema = $1 AND table_name = 'other'",
        [schema],
      )
      expect(rows).to.have.length(1)
    })
  })
})
