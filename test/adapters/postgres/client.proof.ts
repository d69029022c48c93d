import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { adapterContract } from '../../../packages/testing/src/adapters/index.ts'
import { createPostgresAdapter, migrate } from '../../../src/adapters/postgres/index.ts'
import { POSTGRES_URL, suiteOn } from '../servers.ts'

const suite = await suiteOn('PostgreSQL')

// With a Pool and prepared statements, postgres.test.ts does the same.
suite('createPostgresAdapter, with a Client and without prepared statements', () => {
  const schema = `test_${randomBytes(6).toString('hex')}`
  let client: Client
  before(async () => {
    client = new Client({ connectionString: POSTGRES_URL })
    await client.connect()
    await migrate(client, { schema })
  })
  after(async () => {
    await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await client.end()
  })

  adapterContract({
    describe,
    it,
    create: () => createPostgresAdapter({ pool: client, schema, prepare: false }),
    async advance(seconds) {
      const aged = `UPDATE ${schema}.oidc_records SET expires_at = expires_at - $1 * interval '1 s'`
      await client.query(aged, [seconds])
    },
  })
})
