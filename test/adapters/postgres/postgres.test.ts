import { expect } from 'chai'
import { Client, Pool } from 'pg'
import { movedClock } from '../../../packages/console/test/e2e/support/moved-clock.ts'
import { adapterContract } from '../../../packages/testing/src/adapters/index.ts'
import type { LookUp } from '../../../src/adapters/contract.ts'
import { createPostgresAdapter } from '../../../src/adapters/postgres/index.ts'
import { listStatement, statements } from '../../../src/adapters/postgres/statements.ts'
import { pageOf } from '../../../src/adapters/sql.ts'
import { expectRejection, POSTGRES_URL, suiteOn } from '../servers.ts'
import { ownSchema } from './schema.ts'

const suite = await suiteOn('PostgreSQL')

suite('createPostgresAdapter', () => {
  const { schema, table, pool } = ownSchema()

  const create = () => createPostgresAdapter({ pool, schema })
  const advance = async (seconds: number) => {
    await pool.query(`UPDATE ${table} SET expires_at = expires_at - $1 * interval '1 s'`, [seconds])
  }

  describe('with a Pool', () => {
    adapterContract({
      describe,
      it,
      create,
      advance,
      async leaveExpired(_factory, model, id) {
        await pool.query(
          `UPDATE ${table} SET expires_at = now() - interval '1 h' WHERE model = $1 AND id = $2`,
          [model, id],
        )
      },
      async createBroken() {
        const closed = new Pool({ connectionString: POSTGRES_URL })
        await closed.end()
        return createPostgresAdapter({ pool: closed, schema })
      },
    })
  })

  it('forgets a record by the clock of the database, whatever the process thinks', async () => {
    const adapter = create()('SubjectToken')
    using clock = movedClock()
    clock.by(1e9)
    await adapter.upsert('clock', { jti: 'clock' }, 60)
    expect(await adapter.find('clock')).to.deep.equal({ jti: 'clock' })
    expect(await adapter.consumeOnce('clock')).to.equal(true)
    const { rows } = await pool.query(
      `SELECT extract(epoch FROM expires_at - now())::int AS left FROM ${table} WHERE id = 'clock'`,
    )
    expect(rows[0].left).to.be.within(1, 60)
  })

  it('consumes without touching an index where the operator was known at issue', async () => {
    const client = await pool.connect()
    const adapter = createPostgresAdapter({ pool: client, schema })('SubjectToken')
    try {
      await adapter.upsert('hot', { accountId: 'alice', actor: 'olivia', iat: 1 }, 60)
      await client.query('BEGIN')
      const hot = async () => {
        const { rows } = await client.query(
          `SELECT pg_stat_get_xact_tuples_hot_updated('${table}'::regclass)::int AS hot`,
        )
        return rows[0].hot
      }
      const earlier = await hot()
      expect(await adapter.consumeOnce('hot', { actor: 'olivia', grantId: 'g' })).to.equal(true)
      expect(await hot()).to.equal(earlier + 1)
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  })

  it('looks nothing up without an index', async () => {
    const client = new Client({ connectionString: POSTGRES_URL })
    await client.connect()
    await client.query('SET enable_seqscan = off')
    for (const condition of ['id', 'uid', 'user_code', 'grant_id']) {
      const { rows } = await client.query(
        `EXPLAIN SELECT 1 FROM ${table} WHERE model = 'm' AND ${condition} = 'x'`,
      )
      expect(JSON.stringify(rows)).to.match(/Index Cond: .*model.*AND/)
    }
    const plan = async (text: string, values: unknown[]) =>
      JSON.stringify((await client.query(`EXPLAIN ${text}`, values)).rows)
    const planOfList = (lookUp: LookUp) => {
      const before = { iat: 1, id: 'id' }
      const { conditions, values } = pageOf(lookUp, 25, before, (number) => `$${number}`)
      return plan(listStatement(table, conditions), [...values])
    }
    await client.query('SET enable_bitmapscan = off')
    await client.query('SET enable_sort = off')
    for (const [lookUp, index] of [
      ['accountId', 'account_id'],
      ['actor', 'actor'],
      ['clientId', 'client_id'],
    ] as const) {
      const planned = await planOfList({ [lookUp]: 'x' })
      expect(planned).to.contain(`Backward using oidc_records_${index}_idx`).and.not.contain('Sort')
      expect(planned).to.match(/Index Cond: .*ROW\(issued_at, id\) </)
    }
    const all = await planOfList({})
    expect(all).to.contain('Backward using oidc_records_issued_at_idx').and.not.contain('Sort')
    const since = await plan(statements(table).endedSince, ['l', '7'])
    expect(since).to.contain('Index Only Scan using oidc_records_ended_idx')
    expect(since).to.match(/Index Cond: .*ended_xid >=/)
    await client.end()
  })

  describe('deleteExpired', () => {
    async function expired(count: number): Promise<void> {
      await pool.query(`DELETE FROM ${table}`)
      await pool.query(
        `INSERT INTO ${table} (model, id, payload, expires_at)
         SELECT 'AccessToken', 'x' || i, '{}', now() - interval '1 s' FROM generate_series(1, $1) i`,
        [count],
      )
    }

    it('removes what has expired, batch by batch, and nothing else', async () => {
      await expired(25)
      await create()('AccessToken').upsert('live', {}, 60)
      await create()('Client').upsert('client', {})
      expect(await create().deleteExpired({ batchSize: 10 })).to.equal(25)
      expect(await create().deleteExpired()).to.equal(0)
      await expectRejection(create().deleteExpired({ batchSize: 0 }), TypeError)
      const { rows } = await pool.query(`SELECT id FROM ${table} ORDER BY id`)
      expect(rows.map(({ id }) => id)).to.deep.equal(['client', 'live'])
    })

    it('does not wait for a row that somebody else holds', async () => {
      await expired(3)
      const impatient = new Pool({
        connectionString: POSTGRES_URL,
        options: '-c lock_timeout=1000',
      })
      const factory = createPostgresAdapter({ pool: impatient, schema })
      const holder = await pool.connect()
      try {
        await holder.query('BEGIN')
        await holder.query(`SELECT 1 FROM ${table} WHERE id = 'x1' FOR UPDATE`)
        expect(await factory.deleteExpired()).to.equal(2)
      } finally {
        await holder.query('ROLLBACK')
        holder.release()
      }
      expect(await factory.deleteExpired()).to.equal(1)
      await impatient.end()
    })
  })
})
