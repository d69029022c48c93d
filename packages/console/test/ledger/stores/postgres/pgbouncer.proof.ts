import { expect } from 'chai'
import { Pool } from 'pg'
import { suiteOn } from '../../../../../../test/adapters/servers.ts'
import { startPgBouncer } from '../../../../../../test/support/pgbouncer.ts'
import { createPostgresAudit } from '../../../../src/ledger/stores/postgres/index.ts'
import { assertWholeLog, idOf, issued, many, readOn, T, used, writer } from '../contract/support.ts'
import { newDatabase } from './schema.ts'

const suite = await suiteOn('pgbouncer', 'PostgreSQL')

suite('createPostgresAudit, behind PgBouncer in transaction mode', () => {
  it('opens, compares its tables, and loses nothing with prepare: false', async () => {
    await using database = await newDatabase()
    const { schema, admin, url } = database
    await admin.query(
      `ALTER DATABASE ${admin.escapeIdentifier(admin.database ?? '')} SET search_path = ${schema}`,
    )
    const bouncer = await startPgBouncer(2, url)
    const pool = new Pool({ connectionString: bouncer.url, max: 6 })
    try {
      const stores = many(4, () => createPostgresAudit({ pool, prepare: false }))
      await Promise.all(stores.map((store) => store.open()))
      await Promise.all(
        stores.map(async (store, index) => {
          const { write } = writer(store)
          for (let n = 0; n < 10; n += 1) {
            await write(used('a', T + index), issued(`${index} ${n}`, T))
            await store.assertSchema()
          }
        }),
      )
      const [store] = stores
      expect(await store?.row(idOf('a'))).to.include({ reads: 40 })
      expect(await readOn(store ?? expect.fail(), undefined, 100)).to.have.length(80)
      await assertWholeLog(store ?? expect.fail())
    } finally {
      await pool.end()
      await bouncer.stop()
    }
  })
})
