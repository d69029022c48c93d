import { expect } from 'chai'
import { Client } from 'pg'
import type { EndedFollower } from '../../../src/adapters/contract.ts'
import { type EndedSince, followEnded } from '../../../src/adapters/postgres/follow-ended.ts'
import {
  createPostgresAdapter,
  type PostgresClient,
  type PostgresQuery,
} from '../../../src/adapters/postgres/index.ts'
import { POSTGRES_URL, suiteOn, until } from '../servers.ts'
import { ownSchema } from './schema.ts'

const suite = await suiteOn('PostgreSQL')

const LIST = 'a-list'

suite('a status list in PostgreSQL', () => {
  const { schema, pool } = ownSchema()

  beforeEach(() => pool.query(`TRUNCATE ${schema}.oidc_records`))

  const tokensBy = (client: PostgresClient) =>
    createPostgresAdapter({ pool: client, schema })('SubjectToken')

  async function store(...indices: number[]): Promise<void> {
    const record = (statusIndex: number) => ({
      ...{ jti: `id-${statusIndex}`, accountId: 'alice', iat: 1 },
      ...{ statusList: LIST, statusIndex },
    })
    for (const index of indices) await tokensBy(pool).upsert(`id-${index}`, record(index), 600)
  }

  const end = (index: number, client: PostgresClient = pool) =>
    tokensBy(client).endOnce(`id-${index}`, { at: index })

  /** The same pool, which counts; what it answers about the server can be changed. */
  function watched(
    change: (row: Record<string, unknown>) => Record<string, unknown> = (row) => row,
  ) {
    const seen = { statements: 0, rows: 0, indices: 0 }
    const client: PostgresClient = {
      async query(query: PostgresQuery) {
        const { rows, rowCount } = await pool.query(query)
        seen.statements += 1
        seen.rows += rows.length
        seen.indices += rows.reduce((sum, { found }) => sum + Number(found), 0)
        return { rows: rows.map(change), rowCount }
      },
    }
    const follower = tokensBy(client).followEnded?.(LIST) ?? expect.fail()
    const next = async () => {
      Object.assign(seen, { statements: 0, rows: 0, indices: 0 })
      return [...(await follower.next())].toSorted((a, b) => a - b)
    }
    return { seen, next }
  }

  /**
   * Until nothing is new. A transaction of anyone on the server that is under way keeps what came after it
   * among what is read.
   */
  async function settled(next: () => Promise<readonly number[]>): Promise<void> {
    await until(async () => (await next()).length === 0)
  }

  it('has an end whose transaction stays open while others commit, at its commit', async () => {
    await store(1, 2, 3, 4)
    const { next } = watched()
    const slow = new Client({ connectionString: POSTGRES_URL })
    await slow.connect()
    await slow.query('BEGIN')
    expect(await end(1, slow)).to.equal(true)
    // Later ones are committed, seen, and the list goes on from there.
    await end(2)
    expect(await next()).to.deep.equal([2])
    await end(3)
    expect(await next())
      .to.include(3)
      .and.not.include(1)
    expect(await next()).to.not.include(1)
    await slow.query('COMMIT')
    expect(await next()).to.include(1)
    await settled(next)
    await end(4)
    expect(await next()).to.deep.equal([4])
    await slow.end()
  })

  it('costs by what is new: one statement and one row where nothing is', async () => {
    const all = Array.from({ length: 50 }, (_, n) => n)
    await store(...all)
    const { seen, next } = watched()
    for (const index of all.slice(1)) await end(index)
    expect(await next()).to.have.length(49)
    await settled(next)
    expect(seen).to.deep.equal({ statements: 1, rows: 1, indices: 0 })
    await end(0)
    expect(await next()).to.deep.equal([0])
    expect(seen).to.deep.equal({ statements: 1, rows: 1, indices: 1 })
  })

  it('has the ends that a failover lost, once they are asked for again', async () => {
    await store(1, 2)
    let server = 'one'
    const { next } = watched((row) => ({ ...row, server }))
    await end(1)
    await end(2)
    expect(await next()).to.deep.equal([1, 2])
    // The standby had not heard of the last one, and counts transactions on its own.
    await pool.query(
      `UPDATE ${schema}.oidc_records SET ended = NULL, ended_xid = NULL WHERE id = 'id-2'`,
    )
    await pool.query(`UPDATE ${schema}.oidc_records SET ended_xid = 7 WHERE id = 'id-1'`)
    server = 'another'
    expect(await next()).to.deep.equal([1])
    expect(await end(2)).to.equal(true)
    expect(await next()).to.deep.equal([2])
  })
})

describe('what is read of a status list in PostgreSQL', () => {
  async function expectNext(follower: EndedFollower, indices: number[]): Promise<void> {
    expect([...(await follower.next())]).to.deep.equal(indices)
  }

  /** A server of which the test says what it has. */
  function server() {
    const state = { ended: new Map<number, bigint>(), oldest: 100n, name: 'one' }
    const asked: bigint[] = []
    const read = async (after: bigint): Promise<EndedSince> => {
      asked.push(after)
      const found = [...state.ended].filter(([, xid]) => xid >= after)
      const { oldest, name } = state
      return { indices: found.map(([index]) => index), oldest, server: name }
    }
    return { state, asked, read }
  }

  it('is everything every ten minutes, beside the answers: what a crash made invisible comes then', async () => {
    const { state, asked, read } = server()
    let now = 0
    const follower = followEnded(read, () => now)
    await follower.next()
    // Numbers that were lost in a crash come again, and are below what is known.
    state.ended.set(9, 50n)
    await expectNext(follower, [])
    now = 600_000
    await expectNext(follower, [])
    await expectNext(follower, [9])
    await expectNext(follower, [])
    expect(asked).to.deep.equal([0n, 100n, 100n, 0n, 100n, 100n])
  })

  it('is everything where the number of transactions went back', async () => {
    const { state, asked, read } = server()
    const follower = followEnded(read)
    await follower.next()
    state.ended.set(9, 50n)
    state.oldest = 60n
    await expectNext(follower, [9])
    await follower.next()
    expect(asked).to.deep.equal([0n, 100n, 0n, 60n])
  })

  it('of a read that fails comes with the next one', async () => {
    const { state, read } = server()
    let fails = false
    const follower = followEnded(async (after) => {
      if (fails) throw new Error('no connection')
      return read(after)
    })
    await follower.next()
    state.ended.set(9, 100n)
    state.oldest = 101n
    fails = true
    expect(await follower.next().catch(({ message }: Error) => message)).to.equal('no connection')
    fails = false
    await expectNext(follower, [9])
  })

  it('of calls at once is not less where the one that began first ends last', async () => {
    const { state, read } = server()
    const gates: PromiseWithResolvers<void>[] = []
    const follower = followEnded(async (after) => {
      const part = await read(after)
      const gate = Promise.withResolvers<void>()
      gates.push(gate)
      await gate.promise
      return part
    })
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const start = follower.next()
    await turn()
    gates[0]?.resolve()
    await start
    const [first, second] = [follower.next(), follower.next()]
    await turn()
    state.ended.set(9, 120n)
    state.oldest = 110n
    gates[2]?.resolve()
    await second
    gates[1]?.resolve()
    await first
    const third = follower.next()
    await turn()
    gates[3]?.resolve()
    expect([...(await third)]).to.deep.equal([9])
  })
})
