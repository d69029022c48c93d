import { randomBytes } from 'node:crypto'
import { after, before } from 'mocha'
import { Pool } from 'pg'
import { migrate } from '../../../src/adapters/postgres/index.ts'
import { POSTGRES_URL } from '../servers.ts'

/** A schema of its own for the tests of one `describe`, with the table of the adapter. */
export function ownSchema() {
  const schema = `test_${randomBytes(6).toString('hex')}`
  const pool = new Pool({ connectionString: POSTGRES_URL, max: 20 })
  before(() => migrate(pool, { schema }))
  after(async () => {
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await pool.end()
  })
  return { schema, table: `${schema}.oidc_records`, pool }
}
