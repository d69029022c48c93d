import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { Pool } from 'pg'
import { StorageError } from '../../../src/adapters/contract.ts'
import {
  createPostgresAdapter,
  type PostgresAdapterOptions,
  type PostgresQuery,
} from '../../../src/adapters/postgres/index.ts'
import { POSTGRES_URL, rejection, suiteOn } from '../servers.ts'
import { ownSchema } from './schema.ts'

const suite = await suiteOn('PostgreSQL')

/** A record that PostgreSQL refuses (54000): no index takes so long an account. */
const BAD = { accountId: randomBytes(9000).toString('base64'), iat: 1 }
const ids = (count: number) => Array.from({ length: count }, (_, i) => `id-${i}`)

suite('subject tokens that are stored in one turn on PostgreSQL', () => {
  const { schema, table, pool } = ownSchema()
  /** The statements that were sent, without the part of their names that tells tables apart. */
  let sent: string[] = []

  const counting = {
    query: (query: PostgresQuery) => {
      sent.push(query.name?.replace(/^oidc_[0-9a-f]{8}_/, '') ?? 'without a name')
      return pool.query(query)
    },
  }
  const create = (options: Partial<PostgresAdapterOptions> = {}) =>
    createPostgresAdapter({ pool: counting, schema, ...options })('SubjectToken')

  beforeEach(async () => {
    await pool.query(`DELETE FROM ${table}`)
    sent = []
  })

  /** Holds the row until the function that it resolves to is called. */
  async function hold(id: string): Promise<() => Promise<void>> {
    const holder = await pool.connect()
    await holder.query('BEGIN')
    await holder.query(`SELECT 1 FROM ${table} WHERE id = $1 FOR UPDATE`, [id])
    return async () => {
      await holder.query('ROLLBACK')
      holder.release()
    }
  }

  /** Resolves the process of the server that waits for a row of the table. */
  async function waiting(): Promise<number> {
    for (;;) {
      const { rows } = await pool.query(
        `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%' || $1 || '%'`,
        [schema],
      )
      if (rows.length > 0) return rows[0].pid
    }
  }

  it('go as one statement of at most 64, and every other call as its own', async () => {
    const adapter = create()
    await Promise.all(ids(129).map((jti) => adapter.upsert(jti, { jti }, 60)))
    expect(sent).to.deep.equal(['upsertAll', 'upsertAll', 'upsert'])
    sent = []
    const found = await Promise.all(['id-0', 'id-128'].map((id) => adapter.find(id)))
    expect(found).to.deep.equal([{ jti: 'id-0' }, { jti: 'id-128' }])
    await Promise.all(ids(2).map((id) => adapter.consumeOnce(id)))
    expect(sent).to.deep.equal(['find', 'find', 'consumeOnce', 'consumeOnce'])
  })

  it('go each in the context of its own request with group: false, so that a pool can choose by it', async () => {
    const request = new AsyncLocalStorage<string>()
    const seen: string[] = []
    const choosing = {
      query: (query: PostgresQuery) => {
        seen.push(`${request.getStore()}`)
        return pool.query(query)
      },
    }
    const adapter = create({ pool: choosing, group: false })
    const names = ['first', 'second', 'third']
    await Promise.all(names.map((name) => request.run(name, () => adapter.upsert(name, {}, 60))))
    expect(seen).to.have.members(names)
  })

  it('keep the last of several writes of one record', async () => {
    const client = await pool.connect()
    const adapter = create({ pool: client })
    await Promise.all(ids(10).map((jti) => adapter.upsert('same', { jti }, 60)))
    expect(await adapter.find('same')).to.deep.equal({ jti: 'id-9' })
    client.release()
  })

  it('fail alone if the database refuses one', async () => {
    const adapter = create()
    const results = await Promise.allSettled([
      ...ids(3).map((jti) => adapter.upsert(jti, { jti }, 60)),
      adapter.upsert('bad', BAD, 60),
    ])
    expect(results.map(({ status }) => status)).to.deep.equal([
      ...['fulfilled', 'fulfilled', 'fulfilled', 'rejected'],
    ])
    expect(results[3]).to.have.nested.property('reason.code', '54000')
    for (const jti of ids(3)) expect(await adapter.find(jti)).to.deep.equal({ jti })
    expect(await adapter.find('bad')).to.equal(undefined)
  })

  it('a connection that the server ends fails the calls that were on it, and repeats none', async () => {
    const quiet = new Pool({ connectionString: POSTGRES_URL, max: 5 })
    quiet.on('error', () => {})
    const repeated: string[] = []
    const watched = {
      query: (query: PostgresQuery) => {
        repeated.push(query.name ?? '')
        return quiet.query(query)
      },
    }
    const adapter = create({ pool: watched })
    await create().upsert('id-1', { jti: 'before' }, 60)
    const release = await hold('id-1')
    const writes = ids(3).map((id) => rejection(adapter.upsert(id, { jti: 'after' }, 60)))
    const pid = await waiting()
    expect(await adapter.find('id-1'), 'others go on').to.deep.equal({ jti: 'before' })
    await pool.query('SELECT pg_terminate_backend($1)', [pid])
    for (const error of await Promise.all(writes)) expect(error).to.be.instanceOf(StorageError)
    await release()
    expect(repeated.filter((name) => name.includes('upsert'))).to.have.length(1)
    expect(await adapter.find('id-0')).to.equal(undefined)
    await quiet.end()
  })

  it('I6: each rejects with an error of its own, that holds no value', async () => {
    const quoting = {
      query: async ({ values = [] }: PostgresQuery) => {
        const error = new Error(`malformed array literal: "${JSON.stringify(values[1])}"`)
        throw Object.assign(error, { code: '57P01' })
      },
    }
    const adapter = create({ pool: quoting })
    const errors = await Promise.all(ids(3).map((id) => rejection(adapter.upsert(id, {}, 60))))
    expect(new Set(errors).size).to.equal(3)
    for (const error of errors) {
      expect(error).to.include({ message: 'PostgreSQL failed: 57P01', code: '57P01' })
      expect(error.stack).to.contain('postgres/client.ts')
    }
  })

  it('never wait for each other in a circle, nor for a revocation', async () => {
    const failed: unknown[] = []
    const watched = {
      query: (query: PostgresQuery) =>
        pool.query(query).catch((error) => {
          failed.push(error.code)
          throw error
        }),
    }
    const adapters = [create({ pool: watched }), create({ pool: watched })]
    const inOrders = [ids(40), ids(40).toReversed()]
    for (let round = 0; round < 100; round += 1) {
      const writes = adapters.flatMap((adapter, at) => [
        ...(inOrders[at] ?? []).map((id) => adapter.upsert(id, { grantId: 'g' }, 60)),
        adapter.revokeByGrantId('g'),
      ])
      await Promise.all(writes)
    }
    expect(failed).to.deep.equal([])
  })
})
