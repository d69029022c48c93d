import { expect } from 'chai'
import { runsOn } from '../../../../../../test/adapters/servers.ts'
import type { AuditStore } from '../../../../src/audit/store.ts'
import { createRedisAudit } from '../../../../src/audit/stores/redis/index.ts'
import { granted, issued, put, T } from '../contract/support.ts'
import { type Client, connected, type RedisServer, startRedis } from './server.ts'

const suite = (await runsOn('redis-server')) ? describe : describe.skip

suite('an outage of Redis', () => {
  let server: RedisServer
  let client: Client
  let store: AuditStore

  beforeEach(async () => {
    server = await startRedis()
    client = await connected(server.url)
    store = createRedisAudit({ client })
    await put(store, issued('a', T))
  })
  afterEach(async () => {
    client.destroy()
    await server.stop()
  })

  const calls: Record<string, (from: AuditStore) => Promise<unknown>> = {
    open: (from) => from.open(),
    append: (from) => put(from, issued('b', T)),
    find: (from) => from.find({}, { limit: 1, now: T }),
    countNewer: (from) => from.countNewer({}, { at: 0, id: 'a' }, T),
    row: (from) => from.row('a'),
    rowIds: (from) => from.rowIds({ limit: 1 }),
    timeline: (from) => from.timeline('a', { limit: 1 }),
    entries: (from) => from.entries({ limit: 1 }),
    newest: (from) => from.newest(),
    heads: (from) => from.heads(),
    remove: (from) => from.remove(T, 1),
    removed: (from) => from.removed(),
    keepCheckpoint: (from) => from.keepCheckpoint('a.b.c', T),
    checkpoints: (from) => from.checkpoints(1),
  }

  async function rejected(): Promise<string[]> {
    const names = Object.entries(calls).map(async ([name, call]) => {
      return (await call(store).catch(() => undefined)) === undefined ? name : []
    })
    return (await Promise.all(names)).flat()
  }

  it('is an error of every method where the server is gone: nothing reads as empty', async () => {
    await server.stop()
    for (const [name, call] of Object.entries(calls)) {
      const error = await call(store).catch((thrown: unknown) => thrown)
      expect(error, name).to.be.instanceOf(Error)
    }
    server = await startRedis()
  })

  it('is an error within two seconds where the server does not answer', async () => {
    server.pause()
    const began = performance.now()
    expect(await rejected()).to.have.members(Object.keys(calls))
    expect(performance.now() - began).to.be.within(1900, 12_000)
    server.resume()
  })

  it('stores a batch once whose answer was lost', async () => {
    const batch = await put(store, granted('a', T + 1))
    await store.append(batch)
    expect(await store.timeline(batch.records[0]?.row ?? '', { limit: 9 })).to.have.length(2)
  })
})
