// A process that migrates a storage: started by million-migration.proof.ts.
import { Pool } from 'pg'
import { createPostgresAdapter, migrate } from '../../src/adapters/postgres.ts'
import { createSqliteAdapter } from '../../src/adapters/sqlite.ts'

const [kind = '', location = '', schema = ''] = process.argv.slice(2)

process.once('message', async () => {
  if (kind === 'sqlite') {
    const factory = createSqliteAdapter({ file: location })
    await factory('SubjectToken').list({}, 1)
    factory.close()
  } else {
    const pool = new Pool({ connectionString: location })
    await migrate(pool, { schema })
    await createPostgresAdapter({ pool, schema })('SubjectToken').list({}, 1)
    await pool.end()
  }
  process.send?.('migrated', () => process.disconnect())
})
process.send?.('ready')
