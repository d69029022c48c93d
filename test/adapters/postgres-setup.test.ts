import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { Pool } from 'pg'
import { createPostgresAdapter, migrate, migrationSql } from '../../src/adapters/postgres.ts'
import { inCi, POSTGRES_URL, reachable, rejection } from './servers.ts'

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
      expect(rows).to.have.length(5)
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
    })
  })
})
