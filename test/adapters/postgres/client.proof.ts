import { Client } from 'pg'
import { adapterContract } from '../../../packages/testing/src/adapters/index.ts'
import { createPostgresAdapter } from '../../../src/adapters/postgres/index.ts'
import { POSTGRES_URL, suiteOn } from '../servers.ts'
import { ownSchema } from './schema.ts'

const suite = await suiteOn('PostgreSQL')

// With a Pool and prepared statements, postgres.test.ts does the same.
suite('createPostgresAdapter, with a Client and without prepared statements', () => {
  const { schema } = ownSchema()
  let client: Client
  before(async () => {
    client = new Client({ connectionString: POSTGRES_URL })
    await client.connect()
  })
  after(() => client.end())

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
