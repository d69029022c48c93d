import { expect } from 'chai'
import { suiteOn } from '../../../../../../test/adapters/servers.ts'
import { shared } from '../../../../../../test/support/shared.ts'
import type { AuditStore } from '../../../../src/ledger/store.ts'
import {
  createPostgresAudit,
  type PostgresPool,
  type PostgresQuery,
} from '../../../../src/ledger/stores/postgres/index.ts'
import { T } from '../contract/support.ts'
import { ALONE, boundedCases, manyRows } from '../many-rows.ts'
import { newSchema } from './schema.ts'

const suite = await suiteOn('PostgreSQL')

suite('a search in PostgreSQL among many rows', function () {
  this.timeout(120_000)
  const database = shared(newSchema)
  let store: AuditStore
  /** Rows of the table that were read. */
  let read = 0
  /** The last question to the index of words. */
  let asked: unknown

  before(async () => {
    // So little memory is for 30,000 rows what the default is for millions.
    const pool = database.pool({ level: '-c work_mem=64kB' })
    store = createPostgresAudit({
      pool: counting(pool, (rows, { text, values }) => {
        read += rows
        if (text.includes('matching AS')) asked = values?.[0]
      }),
    })
    await store.open()
    await pool.query(
      `INSERT INTO impersonation_audit_impersonation (id, version, data) SELECT id, 1, CAST(data AS jsonb)
       FROM json_to_recordset(CAST($1 AS json)) AS new (id text, data text)`,
      [JSON.stringify(manyRows())],
    )
    await pool.query('VACUUM ANALYZE impersonation_audit_impersonation')
  })
  async function rowsRead(work: () => Promise<unknown>) {
    read = 0
    await work()
    return read
  }
  boundedCases(() => store, rowsRead)

  for (const filter of ALONE) {
    it(`reads what a page has: ${JSON.stringify(filter)}`, async () => {
      const count = await rowsRead(async () => {
        const { rows, next = '' } = await store.find(filter, { limit: 50, now: T })
        expect(rows).to.have.length(50)
        await store.find(filter, { before: next, limit: 50, now: T })
      })
      expect(count).to.equal(2 * 51)
    })
  }

  it('asks the index for the words that few rows have: it would read all others whole', async () => {
    await store.find({ text: 'order olivia sup-7777' }, { limit: 50, now: T })
    expect(asked).to.equal("'7777':*")
  })
})

/** Tells how many rows of the table each query reads. */
function counting(
  pool: PostgresPool,
  tell: (rows: number, query: PostgresQuery) => void,
): PostgresPool {
  const count = async (client: Pick<PostgresPool, 'query'>, query: PostgresQuery) => {
    if (/^\s*(SELECT|WITH)[\s\S]*FROM impersonation_audit_impersonation/.test(query.text)) {
      const text = `EXPLAIN (ANALYZE, FORMAT JSON) ${query.text}`
      const { rows } = await client.query({ ...query, text })
      tell(rowsReadBy(rows), query)
    }
    return client.query(query)
  }
  return {
    query: (query) => count(pool, query),
    async connect() {
      const session = await pool.connect()
      return {
        query: (query) => count(session, query),
        release: (destroy) => session.release(destroy),
        on: (event, listener) => session.on(event, listener),
        off: (event, listener) => session.off(event, listener),
      }
    },
  }
}

/** Of all nodes of a plan that read the table: what they found, and what they read in vain. */
function rowsReadBy(plan: unknown): number {
  if (Array.isArray(plan)) return plan.reduce<number>((sum, each) => sum + rowsReadBy(each), 0)
  if (typeof plan !== 'object' || plan === null) return 0
  const inside = rowsReadBy(Object.values(plan))
  if (Reflect.get(plan, 'Relation Name') !== 'impersonation_audit_impersonation') return inside
  const counts = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Index Recheck']
  const rows = counts.reduce((sum, name) => sum + Number(Reflect.get(plan, name) ?? 0), 0)
  return inside + rows * Number(Reflect.get(plan, 'Actual Loops'))
}
