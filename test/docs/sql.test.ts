import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { createPostgresAudit } from 'oidc-provider-impersonation-console/audit/postgres'
import pg from 'pg'
import { createPostgresAdapter, migrate } from '../../src/adapters/postgres/index.ts'
import { expectRejection, POSTGRES_URL, suiteOn, until } from '../adapters/servers.ts'
import { blocksOf, snippetsOf } from './documents.ts'

const suite = await suiteOn('PostgreSQL')

/** The block of SQL of a page that has these words. */
async function sqlOf(page: string, words: string): Promise<string> {
  const blocks = await blocksOf(page, 'sql')
  return blocks.find((sql) => sql.includes(words)) ?? expect.fail(`${page} has no ${words}`)
}

suite('the SQL of the documents', () => {
  const name = `sql_${randomBytes(6).toString('hex')}`
  const role = `role_${name}`
  let url: string
  let server: pg.Client
  let owner: pg.Pool

  before(async () => {
    server = new pg.Client({ connectionString: POSTGRES_URL })
    await server.connect()
    await server.query(`CREATE DATABASE ${name}`)
    const database = new URL(POSTGRES_URL)
    database.pathname = `/${name}`
    url = database.href
    owner = new pg.Pool({ connectionString: url })
  })
  after(async () => {
    await owner.end()
    // A connection that ends takes a moment to be gone.
    const others = 'SELECT 1 FROM pg_stat_activity WHERE datname = $1'
    await until(async () => (await server.query(others, [name])).rowCount === 0)
    await server.query(`DROP DATABASE ${name}`)
    await server.query(`DROP ROLE IF EXISTS ${role}`)
    await server.end()
  })

  async function auditTables(): Promise<string[]> {
    const found = await owner.query(
      "SELECT tablename FROM pg_tables WHERE tablename LIKE 'impersonation_audit%'",
    )
    return found.rows.map(({ tablename }) => tablename)
  }

  /** A pool of the role that a statement of a page makes. */
  async function poolOf(sql: string): Promise<pg.Pool> {
    await owner.query(sql)
    const own = new URL(url)
    own.username = role
    own.password = 'change-me'
    return new pg.Pool({ connectionString: own.href })
  }

  it('docs/production.md makes the table, and gives it its schema_version back; docs/adapters.md lets a role work with it', async () => {
    process.env.OWNER_URL = url
    const snippets = await snippetsOf('production.md', 'js')
    try {
      await import(`${snippets.folder}/src/migrate.mjs`)
    } finally {
      delete process.env.OWNER_URL
      await snippets[Symbol.asyncDispose]()
    }
    await owner.query('COMMENT ON TABLE oidc_records IS NULL')
    await expectRejection(migrate(owner), 'has no schema_version of this package in its comment')
    await owner.query(await sqlOf('production.md', 'COMMENT ON TABLE'))
    await migrate(owner)
    const sql = await sqlOf('adapters.md', 'CREATE ROLE oidc')
    const pool = await poolOf(sql.replaceAll(/\boidc(?=;| LOGIN)/g, role))
    try {
      const adapter = createPostgresAdapter({ pool })
      const tokens = adapter('SubjectToken')
      await tokens.upsert('a', { kind: 'SubjectToken', accountId: 'alice' }, 60)
      expect(await tokens.consumeOnce('a')).to.equal(true)
      expect(await tokens.consumeOnce('a')).to.equal(false)
      await tokens.destroy('a')
      await adapter.deleteExpired()
      await expectRejection(pool.query('DROP TABLE oidc_records'), 'must be owner')
    } finally {
      await pool.end()
      await owner.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
    }
  })

  it('docs/audit.md lets a role work with the tables that docs/production.md makes', async () => {
    expect(await auditTables()).to.have.lengthOf(5)
    const sql = await sqlOf('audit.md', 'CREATE ROLE support')
    const renamed = sql.replaceAll(/\bsupport(?=;| LOGIN)/g, role).replace('shop TO', `${name} TO`)
    const pool = await poolOf(renamed)
    try {
      const audit = createPostgresAudit({ pool })
      await audit.open()
      expect(await audit.seals(1)).to.deep.equal([])
      await expectRejection(pool.query('CREATE TABLE mine (id int)'), 'permission denied')
    } finally {
      await pool.end()
      await owner.query(`DROP OWNED BY ${role}`)
    }
  })

  it('docs/what-changes.md drops every table of the audit', async () => {
    await owner.query(await sqlOf('what-changes.md', 'impersonation_audit_seal'))
    expect(await auditTables()).to.deep.equal([])
  })
})
