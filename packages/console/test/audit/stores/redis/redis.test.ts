import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { createCluster, createSentinel } from 'redis'
import { runsOn } from '../../../../../../test/adapters/servers.ts'
import type { AuditStore } from '../../../../src/audit/store.ts'
import { createMemoryAudit } from '../../../../src/audit/stores/memory/index.ts'
import { createRedisAudit } from '../../../../src/audit/stores/redis/index.ts'
import { all, filters, idOf, randomBatches, START } from '../../random-audit.ts'
import { expectSetAside } from '../../recording/expect-set-aside.ts'
import { granted, idOf as idOfName, issued, put, replayed, T, writer } from '../contract/support.ts'
import { describeAuditStore } from '../contract.ts'
import { type Client, connected, type RedisServer, removeKeys, startRedis } from './server.ts'

const suite = (await runsOn('Redis')) ? describe : describe.skip
const clusterSuite = (await runsOn('redis-server')) ? describe : describe.skip
const NOW = START + 300_000

/** The whole numbers from the first, up to but without the last. */
const range = (first: number, last: number) =>
  Array.from({ length: last - first }, (_, index) => first + index)

async function newStorage() {
  const prefix = `audit-test-${randomUUID()}`
  const clients: Client[] = []
  return {
    async connect() {
      const client = await connected()
      clients.push(client)
      return createRedisAudit({ client, prefix })
    },
    async dispose() {
      const client = await connected()
      await removeKeys(client, prefix)
      for (const each of [client, ...clients]) each.destroy()
    },
  }
}

describeAuditStore('Redis', newStorage, suite)

clusterSuite('on a cluster', () => {
  let server: RedisServer
  let cluster: ReturnType<typeof createCluster>

  before(async () => {
    server = await startRedis('--cluster-enabled', 'yes')
    const client = await connected(server.url)
    await client.sendCommand(['CLUSTER', 'ADDSLOTSRANGE', '0', '16383'])
    while (!(await client.sendCommand(['CLUSTER', 'INFO']))?.toString().includes('state:ok')) {}
    client.destroy()
    cluster = createCluster({ rootNodes: [{ url: server.url }] })
    await cluster.connect()
  })
  after(async () => {
    cluster.destroy()
    await server.stop()
  })

  describeAuditStore('Redis Cluster', () => {
    const prefix = randomUUID()
    const connect = () =>
      createRedisAudit({
        client: (args, key) => cluster.sendCommand(key, false, args),
        prefix,
      })
    return { connect, dispose: async () => {} }
  })
})

suite('the audit in Redis', () => {
  const prefix = `audit-test-${randomUUID()}`
  let client: Client
  let count = 0

  function newStore(): AuditStore {
    count += 1
    return createRedisAudit({ client, prefix: `${prefix}-${count}` })
  }

  before(async () => {
    client = await connected()
  })
  after(async () => {
    await removeKeys(client, prefix)
    client.destroy()
  })

  describe('is the same as the audit in memory', () => {
    const memory = createMemoryAudit()
    let redis: AuditStore

    before(async () => {
      redis = newStore()
      for (const batch of randomBatches(1, 300)) {
        await memory.append(batch)
        await redis.append(batch)
      }
    })

    async function sameRows() {
      for (const filter of filters()) {
        for (const limit of [3, 1000]) {
          const told = `${JSON.stringify(filter)}, ${limit} a page`
          const page = { limit, now: NOW }
          expect(await all(redis, filter, page), told).to.deep.equal(
            await all(memory, filter, page),
          )
        }
      }
    }

    it('finds the same rows for every filter, in pages of any size', sameRows)

    it('has the same entries, timelines and rows', async () => {
      const page = { limit: 100_000 }
      expect(await redis.entries(page)).to.deep.equal(await memory.entries(page))
      for (let number = 0; number < 41; number += 1) {
        const id = idOf(number)
        expect(await redis.timeline(id, page)).to.deep.equal(await memory.timeline(id, page))
        expect(await redis.row(id)).to.deep.equal(await memory.row(id))
      }
    })

    it('counts the same newer rows', async () => {
      const { rows } = await memory.find({}, { limit: 100, now: NOW })
      for (const filter of filters()) {
        for (const row of [rows[0], rows[20], rows.at(-1)]) {
          const than = row ?? { at: START, id: 'x' }
          const expected = await memory.countNewer(filter, than, NOW)
          expect(await redis.countNewer(filter, than, NOW)).to.equal(expected)
        }
      }
    })

    it('removes the same', async () => {
      expect(await redis.heads()).to.have.deep.members(await memory.heads())
      for (const before of [START + 100_000, START + 200_000, NOW]) {
        for (const limit of [2, 1000]) {
          const expected = await memory.remove(before, limit)
          expect(await redis.remove(before, limit)).to.equal(expected)
          expect(await redis.removed()).to.have.deep.members(await memory.removed())
        }
      }
      await sameRows()
      expect(await redis.heads()).to.have.deep.members(await memory.heads())
    })
  })

  it('I17: sets aside what belongs to a row that was damaged, and stores what comes after', async () => {
    const store = newStore()
    await put(store, issued('a', T))
    const rows = `{${prefix}-${count}}:rows`
    await client.sendCommand(['HSET', rows, idOfName('a'), '{}'])
    await expectSetAside(store)
  })

  it('I17: counts on after a count that was damaged, and stores what comes after', async () => {
    const store = newStore()
    const { write } = writer(store)
    await write(replayed('a', T))
    await client.sendCommand(['HSET', `{${prefix}-${count}}:counts`, '1', 'x'])
    await write(replayed('a', T + 1))
    await write(issued('b', T + 2))
    const [counted, after] = await store.entries({ limit: 9 })
    expect(counted).to.include({ count: 2, lastTime: T + 1 })
    expect(after?.row).to.equal(idOfName('b'))
  })

  it('keeps nothing of what was removed but its links', async () => {
    const store = newStore()
    await put(store, granted('gone', T, { context: { reason: 'a secret reason' } }))
    await put(store, issued('gone too', T))
    await store.remove(T + 1, 10)
    const left = await client.keys(`{${prefix}-${count}}*`)
    const names = left.map((key) => key.split('}:')[1]?.replace(/:.*/, '')).toSorted()
    expect(names).to.deep.equal([
      'chains',
      'links',
      'newest',
      'removed',
      'removed',
      'removed-up-to',
    ])
  })

  it('makes a page of 20,000 rows, any date and any text, in under 200 ms', async function () {
    this.timeout(60_000)
    const store = newStore()
    for (let from = 0; from < 20_000; from += 1000) {
      const entries = Array.from({ length: 1000 }, (_, index) => {
        const number = from + index
        const context = { ticketId: `SUP-${number % 100}`, reason: `number ${number}` }
        return granted(`${number}`, T + number * 1000, { context, subject: `c${number % 500}` })
      })
      await put(store, ...entries)
    }
    const now = T + 20_000_000
    for (const filter of [
      {},
      { to: T + 100_000 },
      { from: T + 10_000_000, to: T + 10_100_000 },
      { text: 'no such text' },
      { text: 'number 17' },
      { ticket: 'sup-7', customer: 'c7' },
      { outcome: 'running' as const },
      { outcome: 'waiting' as const },
    ]) {
      const times: number[] = []
      // Other processes of this machine slow some of them down.
      for (let run = 0; run < 5; run += 1) {
        const began = performance.now()
        await store.find(filter, { limit: 50, now })
        times.push(performance.now() - began)
      }
      expect(Math.min(...times), JSON.stringify(filter)).to.be.below(200)
    }
    // They are far apart: in several slices.
    const found = await all(store, { text: 'number 199' }, { limit: 7, now })
    const numbers = [199, ...range(1990, 2000), ...range(19_900, 20_000)]
    expect(found.map(({ reason }) => reason)).to.deep.equal(
      numbers.toReversed().map((number) => `number ${number}`),
    )
  })

  it('finds each of many rows of one moment once, in pages and in slices', async function () {
    this.timeout(60_000)
    const store = newStore()
    const names = range(0, 9000).map(String)
    for (let from = 0; from < names.length; from += 1000) {
      await put(store, ...names.slice(from, from + 1000).map((name) => issued(name, T)))
    }
    const ids = names.map(idOfName).toSorted().toReversed()
    const paged = await all(store, {}, { limit: 1700, now: T })
    expect(paged.map(({ id }) => id)).to.deep.equal(ids)
    const last = ids.at(-1) ?? ''
    const [only, ...others] = await all(store, { text: last }, { limit: 1, now: T })
    expect([only?.id, others]).to.deep.equal([last, []])
    const than = { at: T, id: ids[50] ?? '' }
    expect(await store.countNewer({}, than, T)).to.equal(50)
    // A cursor of a row that was removed since.
    const place = `${ids[4500]}`
    const gone = `${T}.${place.slice(0, -1)}${place.endsWith('A') ? 'B' : 'A'}`
    const { rows } = await store.find({}, { before: gone, limit: 9000, now: T })
    expect(rows.length).to.be.within(4499, 4500)
  })

  it("refuses node-redis' createSentinel and createCluster, and shows the function that works", () => {
    const sentinel = createSentinel({ name: 'm', sentinelRootNodes: [{ host: 'x', port: 1 }] })
    const cluster = createCluster({ rootNodes: [{ url: 'redis://127.0.0.1:1' }] })
    for (const [client, way] of [
      [sentinel, '(args) => sentinel.sendCommand(false, args)'],
      [cluster, '(args, key) => cluster.sendCommand(key, false, args)'],
    ] as const) {
      expect(() => createRedisAudit({ client: client as never })).to.throw(TypeError, way)
    }
  })

  it('refuses options that are wrong', () => {
    for (const prefix of ['', '{x}', 'x'.repeat(101)]) {
      expect(() => createRedisAudit({ client, prefix })).to.throw(TypeError, 'prefix')
    }
    for (const keepFor of [0, -1, 1.5, Number.NaN]) {
      expect(() => createRedisAudit({ client, keepFor })).to.throw(TypeError, 'keepFor')
    }
    for (const wrong of [undefined, {}]) {
      expect(() => createRedisAudit({ client: wrong as never })).to.throw(TypeError, 'client')
    }
    expect(createRedisAudit({ client, keepFor: 60 }).keepFor).to.equal(60)
  })
})
