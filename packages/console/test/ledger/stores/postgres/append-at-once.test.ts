import { expect } from 'chai'
import { suiteOn } from '../../../../../../test/adapters/servers.ts'
import type { AuditStore } from '../../../../src/ledger/store.ts'
import {
  createPostgresAudit,
  type PostgresPool,
} from '../../../../src/ledger/stores/postgres/index.ts'
import {
  assertWholeChains,
  exported,
  idOf,
  issued,
  put,
  readOn,
  rejection,
  rowOf,
  started,
  T,
  times,
  used,
  writer,
} from '../contract/support.ts'
import { newDatabase } from './schema.ts'

const suite = await suiteOn('PostgreSQL')

suite('entries that are appended at once to the audit in PostgreSQL', function () {
  this.timeout(30_000)
  // The lock is one for a whole database: where another suite holds it, a transaction waits for it.
  let database: Awaited<ReturnType<typeof newDatabase>>
  beforeEach(async () => {
    database = await newDatabase()
  })
  afterEach(() => database.dispose())

  async function opened(pool: PostgresPool = database.pool()): Promise<AuditStore> {
    const store = createPostgresAudit({ pool })
    await store.open()
    return store
  }

  it('takes one statement, and one more where another process wrote the row before', async () => {
    const pool = database.pool()
    const sent: string[] = []
    const counting = await opened({
      connect() {
        sent.push('transaction')
        return pool.connect()
      },
      query(query) {
        sent.push(query.name ?? '')
        return pool.query(query)
      },
    })
    const { write } = writer(counting)
    sent.length = 0
    await write(issued('a', T))
    await write(started('a', T + 1))
    const other = writer(await opened())
    await other.write(issued('b', T))
    await write(started('b', T + 1))
    await other.write(used('b', T + 2))
    await write(used('b', T + 3))
    await write(used('b', T + 4))
    await other.write(used('c', T))
    await write(issued('c', T + 1))
    const [append, read] = ['append', 'read'].map((of) => `impersonation_audit_${of}`)
    const first = [append, append]
    const known = [read, append]
    // What is remembered is no longer so.
    const changed = [append, 'transaction', read, append, append, 'transaction']
    expect(sent).to.deep.equal([...first, ...known, ...changed])
    expect(await counting.row(idOf('a'))).to.deep.equal(
      rowOf('a', issued('a', T), started('a', T + 1)),
    )
    expect(await counting.row(idOf('b'))).to.deep.equal(
      rowOf('b', issued('b', T), started('b', T + 1), ...[2, 3, 4].map((ms) => used('b', T + ms))),
    )
    expect(await counting.row(idOf('c'))).to.deep.equal(
      rowOf('c', used('c', T), issued('c', T + 1)),
    )
    await assertWholeChains(counting)
  })

  it('take one statement however many they are, and one more for what other processes wrote', async () => {
    const pool = database.pool()
    let [statements, transactions] = [0, 0]
    const store = await opened({
      connect() {
        transactions += 1
        return pool.connect()
      },
      query(query) {
        statements += 1
        return pool.query(query)
      },
    })
    const names = Array.from({ length: 50 }, (_, index) => `${index}`)
    const { write } = writer(store)
    ;[statements, transactions] = [0, 0]
    await write(...names.map((name, index) => issued(name, T + index)), exported(T))
    await write(...names.flatMap((name) => [started(name, T + 100), used(name, T + 200)]))
    expect([statements, transactions]).to.deep.equal([2, 0])
    const other = await opened()
    const elsewhere = writer(other)
    await elsewhere.write(...names.map((name) => used(name, T + 300)))
    expect((await store.row(idOf('7')))?.reads).to.equal(2)
    await assertWholeChains(store)
  })

  it('are all stored, where another process wrote one of their rows meanwhile', async () => {
    const [store, other] = [await opened(), await opened()]
    const { write } = writer(store)
    await write(issued('a', T), issued('b', T))
    await put(other, used('b', T + 1))
    await write(used('a', T + 2), used('b', T + 2))
    for (const [name, uses] of [
      ['a', [used('a', T + 2)]],
      ['b', [used('b', T + 1), used('b', T + 2)]],
    ] as const) {
      expect(await store.row(idOf(name))).to.deep.equal(rowOf(name, issued(name, T), ...uses))
    }
    expect(await readOn(store)).to.have.length(5)
    await assertWholeChains(store)
  })

  it('has no statement with a name behind a pooler, and still takes one', async () => {
    const pool = database.pool()
    let transactions = 0
    const names = new Set<string | undefined>()
    const store = createPostgresAudit({
      prepare: false,
      pool: {
        connect() {
          transactions += 1
          return pool.connect()
        },
        query(query) {
          names.add(query.name)
          return pool.query(query)
        },
      },
    })
    await store.open()
    transactions = 0
    const { write } = writer(store)
    for (const entry of [issued('a', T), started('a', T + 1), used('a', T + 2)]) await write(entry)
    expect([...names]).to.deep.equal([undefined])
    expect(transactions).to.equal(0)
  })

  it('is stored once, where the answer was lost', async () => {
    const pool = database.pool()
    let isLost = false
    const store = await opened({
      connect: () => pool.connect(),
      async query(query) {
        const result = await pool.query(query)
        if (isLost) throw new Error('the connection is lost')
        return result
      },
    })
    const { next } = writer(store)
    for (const entry of [issued('a', T), used('a', T + 1), used('a', T + 2)]) {
      const batch = next([entry])
      isLost = true
      expect(await rejection(store.append(batch))).to.be.instanceOf(Error)
      isLost = false
      await store.append(batch)
      await store.append(batch)
    }
    expect(times(await readOn(store))).to.deep.equal([T, T + 1, T + 2])
    expect(await store.row(idOf('a'))).to.include({ reads: 2 })
    await assertWholeChains(store)
  })

  it('is stored once, with each other one of its row, where processes write at once', async () => {
    const stores = await Promise.all([1, 2, 3].map(() => opened()))
    const again = await opened()
    await Promise.all(
      stores.map(async (store, from) => {
        const { next } = writer(store)
        for (let number = 0; number < 15; number += 1) {
          const batch = next([used('a', T + 100 * from + number)])
          await Promise.all([store.append(batch), again.append(batch)])
          await again.append(batch)
        }
      }),
    )
    const [store = again] = stores
    expect(await store.row(idOf('a'))).to.include({ reads: 45 })
    expect(await readOn(store)).to.have.length(45)
    await assertWholeChains(store)
  })

  it('begins its row anew, where that was removed meanwhile', async () => {
    const store = await opened()
    const { write } = writer(store)
    await write(issued('a', T))
    await (await opened()).remove(T + 1000, 10)
    await write(used('a', T + 2000))
    expect(await store.row(idOf('a'))).to.deep.equal(rowOf('a', used('a', T + 2000)))
    expect(await store.timeline(idOf('a'), { limit: 9 })).to.have.length(1)
  })

  it('loses nothing of its row, where that was removed meanwhile and another process began it anew', async () => {
    const [store, other] = [await opened(), await opened()]
    const { write } = writer(store)
    await write(issued('a', T))
    await other.remove(T + 1000, 10)
    await put(other, used('a', T + 2000))
    await write(used('a', T + 3000))
    const uses = [used('a', T + 2000), used('a', T + 3000)]
    expect(await store.row(idOf('a'))).to.deep.equal(rowOf('a', ...uses))
  })

  it('is stored where a pooler loses prepared statements, and after a read-only default', async () => {
    const pool = database.pool()
    const store = await opened(pool)
    const { write } = writer(store)
    await write(issued('a', T))
    await pool.query('DEALLOCATE ALL')
    await write(used('a', T + 1))
    await pool.query('SET default_transaction_read_only = on')
    await write(used('a', T + 2))
    expect(await store.row(idOf('a'))).to.include({ reads: 2 })
    expect(times(await readOn(store))).to.deep.equal([T, T + 1, T + 2])
  })
})
