import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { Pool } from 'pg'
import { migrate } from '../../src/adapters/postgres/index.ts'
import { POSTGRES_URL, rejection, suiteOn } from '../adapters/servers.ts'

const suite = await suiteOn('PostgreSQL')

suite('docs/upgrading.md', () => {
  it('gives a table its schema_version back', async () => {
    const page = await readFile(new URL('../../docs/upgrading.md', import.meta.url), 'utf8')
    const [, statement = ''] = /^```sql\n(.*?)^```$/ms.exec(page) ?? []
    const table = `test_${randomBytes(6).toString('hex')}`
    await using stack = new AsyncDisposableStack()
    const pool = stack.adopt(new Pool({ connectionString: POSTGRES_URL }), (it) => it.end())
    await migrate(pool, { table })
    stack.defer(async () => {
      await pool.query(`DROP TABLE ${table}`)
    })
    await pool.query(`COMMENT ON TABLE ${table} IS NULL`)
    const { message } = await rejection(migrate(pool, { table }))
    expect(message).to.contain('has no schema_version of this package in its comment')
    await pool.query(statement.replace('oidc_records', table))
    await migrate(pool, { table })
  })
})
