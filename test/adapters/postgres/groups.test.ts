// Over 250 lines: every promise about groups, on one server.
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { Client, Pool } from 'pg'
import { StorageError } from '../../../src/adapters/contract.ts'
import {
  createPostgresAdapter,
  migrate,
  type PostgresAdapterOptions,
  type PostgresQuery,
} from '../../../src/adapters/postgres/index.ts'
import { statements } from '../../../src/adapters/postgres/statements.ts'
import { POSTGRES_URL, rejection, suiteOn } from '../servers.ts'

const suite = await suiteOn('PostgreSQL')

/** A record that PostgreSQL refuses (54000): no index takes so long an account. */
const BAD = { accountId: randomBytes(9000).toString('base64'), iat: 1 }
const ids = (count: number, prefix = 'id') =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i}`)

suite('calls of one turn on PostgreSQL', () => {
  const schema = `test_${randomBytes(6).toString('hex')}`
  const table = `${schema}.oidc_records`
  let pool: Pool
  /** The statements that were sent, without the part of their names that tells tables apart. */
  let sent: string[] = []

  const counting = {
    query: (query: PostgresQuery) => {
      sent.push(query.name?.replace(/^oidc_[0-9a-f]{8}_/, '') ?? 'without a name')
      return pool.query(query)
    },
  }
  const create = (options: Partial<PostgresAdapterOptions> = {}) =>
    createPostgresAdapter({ pool: counting, schema, ...options })

  before(async () => {
    pool = new Pool({ connectionString: POSTGRES_URL, max: 20 })
    await migrate(pool, { schema })
  })
  beforeEach(async () => {
    await pool.query(`DELETE FROM ${table}`)
    sent = []
  })
  after(async () => {
    await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
    await pool.end()
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

  /** Resolves the processes of the server that wait for a row of the table, once they are so many. */
  async function waiting(count: number): Promise<number[]> {
    for (;;) {
      const { rows } = await pool.query(
        `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%' || $1 || '%'`,
        [schema],
      )
      if (rows.length >= count) return rows.map(({ pid }) => pid)
    }
  }

  describe('go as one statement', () => {
    it('of each kind, whichever adapter of the factory they came through', async () => {
      const factory = create()
      const all = ids(5)
      await Promise.all(all.map((id) => factory('SubjectToken').upsert(id, { jti: id }, 60)))
      await Promise.all(all.map((id) => factory('SubjectToken').find(id)))
      await Promise.all(all.map((id) => factory('SubjectToken').consumeOnce(id)))
      await Promise.all([factory('Session').find('a'), factory('Grant').find('a')])
      expect(sent).to.deep.equal([...['upsertAll', 'findAll', 'consumeOnceAll', 'findAll']])
    })

    it('of at most 64 calls', async () => {
      const adapter = create()('SubjectToken')
      await Promise.all(ids(130).map((id) => adapter.find(id)))
      expect(sent).to.deep.equal(['findAll', 'findAll', 'findAll'])
    })

    it('and a lone call as the statement of its own that it always was', async () => {
      const factory = create()
      await factory('SubjectToken').upsert('lone', {}, 60)
      await factory('SubjectToken').find('lone')
      await factory('SubjectToken').consumeOnce('lone')
      await factory('Session').find('lone')
      expect(sent).to.deep.equal(['upsert', 'find', 'consumeOnce', 'find'])
    })

    it('but each as its own with group: false', async () => {
      const adapter = create({ group: false })('SubjectToken')
      await Promise.all(ids(3).map((id) => adapter.upsert(id, {}, 60)))
      await Promise.all(ids(3).map((id) => adapter.find(id)))
      expect(sent).to.deep.equal([...Array(3).fill('upsert'), ...Array(3).fill('find')])
    })

    it('and each in the context of its own request with group: false, so that a pool can choose by it', async () => {
      const request = new AsyncLocalStorage<string>()
      const seen: string[] = []
      const choosing = {
        query: (query: PostgresQuery) => {
          seen.push(`${request.getStore()}`)
          return pool.query(query)
        },
      }
      const factory = create({ pool: choosing, group: false })
      const names = ['first', 'second', 'third']
      for (const call of [
        (id: string) => factory('SubjectToken').upsert(id, { jti: id }, 60),
        (id: string) => factory('SubjectToken').find(id),
        (id: string) => factory('SubjectToken').consumeOnce(id),
        (id: string) => factory('Session').find(id),
      ]) {
        seen.length = 0
        await Promise.all(names.map((name) => request.run(name, () => call(name))))
        expect(seen).to.have.members(names)
      }
    })

    it('without a name where statements are not prepared', async () => {
      const adapter = create({ prepare: false })('SubjectToken')
      await Promise.all(ids(3).map((id) => adapter.upsert(id, { jti: id }, 60)))
      const found = await Promise.all(ids(3).map((id) => adapter.find(id)))
      expect(found).to.deep.equal(ids(3).map((jti) => ({ jti })))
      expect(sent).to.deep.equal(['without a name', 'without a name'])
    })

    it('and not with those of another table on the same pool', async () => {
      await migrate(pool, { schema, table: 'other' })
      const [one, other] = [create(), create({ table: 'other' })].map((factory) =>
        factory('SubjectToken'),
      )
      const write = (name: string) => (id: string) => ({ id, payload: { name } })
      await Promise.all([
        ...ids(3)
          .map(write('one'))
          .map(({ id, payload }) => one?.upsert(id, payload, 60)),
        ...ids(3)
          .map(write('other'))
          .map(({ id, payload }) => other?.upsert(id, payload, 60)),
      ])
      const found = await Promise.all(ids(3).flatMap((id) => [one?.find(id), other?.find(id)]))
      expect(found).to.deep.equal(ids(3).flatMap(() => [{ name: 'one' }, { name: 'other' }]))
    })
  })

  it('finds records of several models under one id, and none of another model', async () => {
    const factory = create()
    for (const model of ['Session', 'Grant']) await factory(model).upsert('same', { model }, 60)
    const found = await Promise.all(
      ['Session', 'Grant', 'Client', 'Session'].map((model) => factory(model).find('same')),
    )
    expect(sent.at(-1)).to.equal('findAll')
    expect(found).to.deep.equal([
      { model: 'Session' },
      { model: 'Grant' },
      undefined,
      { model: 'Session' },
    ])
    expect(found[0], 'each caller has its own').to.not.equal(found[3])
  })

  it('gives each of two records to one of a hundred callers, and keeps the note of that one', async () => {
    const adapter = create()('SubjectToken')
    for (const id of ids(2)) await adapter.upsert(id, { jti: id }, 60)
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, i) => adapter.consumeOnce(`id-${i % 2}`, { caller: i })),
    )
    expect(outcomes.filter(Boolean)).to.have.length(2)
    for (const id of ids(2)) {
      const { caller } = Object((await adapter.find(id))?.note)
      expect(outcomes[caller]).to.equal(true)
    }
  })

  it('keeps the last of several writes of one record, and consumes it once', async () => {
    const client = await pool.connect()
    const adapter = create({ pool: client })('SubjectToken')
    await Promise.all(ids(10).map((jti) => adapter.upsert('same', { jti }, 60)))
    expect(await adapter.find('same')).to.deep.equal({ jti: 'id-9' })
    client.release()
  })

  it('consumes nothing that another transaction ends or consumes meanwhile', async () => {
    const adapter = create()('SubjectToken')
    for (const id of ids(3)) await adapter.upsert(id, { jti: id }, 60)
    const other = await pool.connect()
    await other.query('BEGIN')
    const inTransaction = create({ pool: other })('SubjectToken')
    expect(await inTransaction.endOnce('id-0', { by: 'other' })).to.equal(true)
    expect(await inTransaction.consumeOnce('id-1', { by: 'other' })).to.equal(true)
    const outcomes = Promise.all(ids(3).map((id) => adapter.consumeOnce(id, { by: 'group' })))
    await waiting(2)
    await other.query('COMMIT')
    other.release()
    expect(await outcomes).to.deep.equal([false, false, true])
    expect(await adapter.find('id-0'))
      .to.include.keys('end')
      .and.not.include.keys('note')
    expect(await adapter.find('id-1')).to.have.deep.property('note', { by: 'other' })
  })

  it('consumes several without touching an index where the operator was known at issue', async () => {
    // pages of its own, on which no other test left rows
    await migrate(pool, { schema, table: 'hot' })
    const client = await pool.connect()
    const adapter = create({ pool: client, table: 'hot' })('SubjectToken')
    for (const id of ids(3))
      await adapter.upsert(id, { accountId: 'a', actor: 'olivia', iat: 1 }, 60)
    await client.query('BEGIN')
    await Promise.all(ids(3).map((id) => adapter.consumeOnce(id, { actor: 'olivia' })))
    const { rows } = await client.query(
      `SELECT pg_stat_get_xact_tuples_hot_updated('${schema}.hot'::regclass)::int AS hot`,
    )
    await client.query('ROLLBACK')
    client.release()
    expect(rows[0].hot).to.equal(3)
  })

  describe('where something fails', () => {
    it('a record that the database refuses fails alone', async () => {
      const adapter = create()('SubjectToken')
      const results = await Promise.allSettled([
        ...ids(3).map((id) => adapter.upsert(id, { jti: id }, 60)),
        adapter.upsert('bad', BAD, 60),
      ])
      expect(results.map(({ status }) => status)).to.deep.equal([
        ...['fulfilled', 'fulfilled', 'fulfilled', 'rejected'],
      ])
      expect(results[3]).to.have.nested.property('reason.code', '54000')
      for (const id of ids(3)) expect(await adapter.find(id)).to.deep.equal({ jti: id })
      expect(await adapter.find('bad')).to.equal(undefined)
    })

    it('a note that is no JSON fails alone, and each note is kept as it was when it was given', async () => {
      const adapter = create()('SubjectToken')
      for (const id of ids(3)) await adapter.upsert(id, { jti: id }, 60)
      const note = { actor: 'olivia', act: { sub: 'olivia' } }
      const calls = [
        adapter.consumeOnce('id-0', note),
        adapter.consumeOnce('id-1', { actor: 'oscar', at: 1n }),
        adapter.consumeOnce('id-2', note),
      ]
      note.act.sub = 'mallory'
      const results = await Promise.allSettled(calls)
      expect(results.map(({ status }) => status)).to.deep.equal([
        ...['fulfilled', 'rejected', 'fulfilled'],
      ])
      expect(await adapter.find('id-2')).to.have.deep.property('note', {
        actor: 'olivia',
        act: { sub: 'olivia' },
      })
      expect(await adapter.consumeOnce('id-1')).to.equal(true)
    })

    it('a row that another transaction holds delays no consumption but its own', async () => {
      const adapter = create()('SubjectToken')
      for (const id of ids(3)) await adapter.upsert(id, { jti: id }, 60)
      const release = await hold('id-1')
      let isHeldDecided = false
      const [first, held, last] = ids(3).map((id) => adapter.consumeOnce(id))
      void held?.then(() => {
        isHeldDecided = true
      })
      expect(await Promise.all([first, last])).to.deep.equal([true, true])
      expect(isHeldDecided).to.equal(false)
      await release()
      expect(await held).to.equal(true)
    })

    it('a row that another transaction holds fails no write but its own under lock_timeout', async () => {
      const impatient = new Pool({ connectionString: POSTGRES_URL, options: '-c lock_timeout=50' })
      const adapter = create({ pool: impatient })('SubjectToken')
      await adapter.upsert('id-1', { jti: 'before' }, 60)
      const release = await hold('id-1')
      const writes = ids(3).map((id) => adapter.upsert(id, { jti: 'after' }, 60))
      const results = await Promise.allSettled(writes)
      await release()
      expect(results.map(({ status }) => status)).to.deep.equal([
        ...['fulfilled', 'rejected', 'fulfilled'],
      ])
      expect(results[1]).to.have.nested.property('reason.code', '55P03')
      const found = await Promise.all(ids(3).map((id) => adapter.find(id)))
      expect(found.map((each) => each?.jti)).to.deep.equal(['after', 'before', 'after'])
      await impatient.end()
    })

    it('and its callers lose only once it is known that another won', async () => {
      const adapter = create()('SubjectToken')
      for (const id of ids(2)) await adapter.upsert(id, { jti: id }, 60)
      const broken = {
        query: (query: PostgresQuery) =>
          query.name?.endsWith('consumeOnce')
            ? Promise.reject(new Error('lost'))
            : pool.query(query),
      }
      const release = await hold('id-1')
      const failing = create({ pool: broken })('SubjectToken')
      const results = await Promise.allSettled(
        ['id-0', 'id-1', 'id-1'].map((id) => failing.consumeOnce(id)),
      )
      await release()
      expect(results.map(({ status }) => status)).to.deep.equal([
        ...['fulfilled', 'rejected', 'rejected'],
      ])
      expect(await adapter.consumeOnce('id-1')).to.equal(true)
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
      const adapter = create({ pool: watched })('SubjectToken')
      await create()('SubjectToken').upsert('id-1', { jti: 'before' }, 60)
      const release = await hold('id-1')
      const writes = ids(3).map((id) => rejection(adapter.upsert(id, { jti: 'after' }, 60)))
      // while the group waits for the row, others go on
      const [pid] = await waiting(1)
      expect(await adapter.find('id-1')).to.deep.equal({ jti: 'before' })
      await pool.query('SELECT pg_terminate_backend($1)', [pid])
      for (const error of await Promise.all(writes)) expect(error).to.be.instanceOf(StorageError)
      await release()
      expect(repeated.filter((name) => name.includes('upsert'))).to.have.length(1)
      expect(await adapter.find('id-0')).to.equal(undefined)
      await quiet.end()
    })

    it('calls that wait when the pool ends reject, and none hangs', async () => {
      const ending = new Pool({ connectionString: POSTGRES_URL })
      const adapter = create({ pool: ending })('SubjectToken')
      await adapter.find('warm')
      const calls = ids(3).flatMap((id) => [
        rejection(adapter.find(id)),
        rejection(adapter.upsert(id, {}, 60)),
        rejection(adapter.consumeOnce(id)),
      ])
      await ending.end()
      for (const error of await Promise.all(calls)) expect(error).to.be.instanceOf(StorageError)
    })

    it('each call rejects with an error of its own: what a request adds to it, no other request shows', async () => {
      const failing = {
        query: async ({ name = '' }: PostgresQuery) => {
          if (name.endsWith('consumeOnceAll')) return { rows: [], rowCount: 0 }
          throw Object.assign(new Error('terminating connection'), { code: '57P01' })
        },
      }
      const adapter = create({ pool: failing })('SubjectToken')
      const errors = await Promise.all([
        ...ids(3).map((id) => rejection(adapter.find(id))),
        ...['same', 'same', 'other'].map((id) => rejection(adapter.consumeOnce(id))),
      ])
      expect(new Set(errors).size).to.equal(6)
      for (const error of errors) {
        expect(error).to.be.instanceOf(StorageError)
        expect(error).to.include({ message: 'PostgreSQL failed: 57P01', code: '57P01' })
        expect(error.stack).to.contain('postgres/client.ts')
      }
    })

    it('I6: no error holds a value of any call, nor in the form that an array gives it', async () => {
      const quoting = {
        query: async ({ values = [] }: PostgresQuery) => {
          throw new Error(`malformed array literal: "${JSON.stringify(values[1])}"`)
        },
      }
      const adapter = create({ pool: quoting })('SubjectToken')
      const calls = ['"sub":"olivia"', '"sub":"oscar"'].map((id) => rejection(adapter.find(id)))
      for (const error of await Promise.all(calls)) {
        expect(error.message).to.equal('PostgreSQL failed: Error')
      }
    })
  })

  it('looks nothing up without the index, also on a table that was just created', async () => {
    await using stack = new AsyncDisposableStack()
    const client = stack.adopt(new Client({ connectionString: POSTGRES_URL }), (it) => it.end())
    await client.connect()
    await migrate(client, { schema, table: 'fresh' })
    await client.query(`SET plan_cache_mode = force_generic_plan`)
    const texts = statements(`${schema}.fresh`)
    const arrays = (count: number) => Array.from({ length: count }, () => '{a,b}')
    for (const [name, values] of [
      ['findAll', arrays(2)],
      ['consumeOnceAll', ['m', ...arrays(3)]],
      ['revokeByGrantId', ['m', 'g']],
    ] as const) {
      const planned = values.map((value) => `'${value}'`).join(', ')
      await client.query(`PREPARE ${name} AS ${texts[name]}`)
      const { rows } = await client.query(`EXPLAIN EXECUTE ${name}(${planned})`)
      const plan = JSON.stringify(rows)
      expect(plan, name)
        .to.match(/fresh_(pkey|grant_id_idx)/)
        .and.not.contain('Seq Scan')
      // An index that finds the model alone leaves all its rows to a filter. Few records have a grant.
      if (name === 'revokeByGrantId') continue
      expect(plan, name)
        .to.match(/Index Cond: \(\(model = [^)]*\) AND \(id = /)
        .and.not.contain('ANY')
    }
  })
})
