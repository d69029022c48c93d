import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { createRedisAdapter } from '../../../src/adapters/redis/index.ts'
import { type PrivateRedis, rejection, startRedis, suiteOn, until } from '../servers.ts'

const suite = await suiteOn('redis-server')

const running: PrivateRedis[] = []
async function start(...args: string[]): Promise<PrivateRedis> {
  const server = await startRedis(...args)
  if (!server) throw new Error('redis-server did not start')
  running.push(server)
  return server
}

suite('createRedisAdapter, on servers of its own', () => {
  after(() => Promise.all(running.map((server) => server.stop())))

  it('rejects writes and claims on a replica, that cannot be written to', async () => {
    const primary = await start()
    const replica = await start('--replicaof', '127.0.0.1', String(primary.port))
    const [client, readOnly] = [new Redis(primary.port), new Redis(replica.port)]
    await until(async () => /slave0:.*state=online/.test(await client.info('replication')))
    await createRedisAdapter({ client })('SubjectToken').upsert('e', {}, 60)
    const adapter = createRedisAdapter({ client: readOnly })('SubjectToken')
    for (const call of [
      () => adapter.upsert('f', {}, 60),
      () => adapter.consumeOnce('e'),
      () => adapter.destroy('e'),
    ]) {
      expect((await rejection(call())).message).to.contain('READONLY')
    }
    for (const each of [client, readOnly]) each.disconnect()
  })

  describe('on a server short of memory', () => {
    let server: PrivateRedis
    let client: Redis
    let warnings: Error[]
    const listener = (warning: Error) => warnings.push(warning)

    before(async () => {
      server = await start('--appendonly', 'yes')
      client = new Redis(server.port)
    })
    beforeEach(() => {
      warnings = []
      process.on('warning', listener)
    })
    afterEach(async () => {
      process.off('warning', listener)
      await client.config('SET', 'maxmemory-policy', 'noeviction')
      await client.config('SET', 'maxmemory', '0')
    })
    after(() => client.disconnect())

    it('rejects upsert and consumeOnce when Redis refuses writes for want of memory', async () => {
      const adapter = createRedisAdapter({ client })('SubjectToken')
      await adapter.upsert('a', {}, 60)
      await client.config('SET', 'maxmemory', '1')
      expect((await rejection(adapter.upsert('b', {}, 60))).message).to.contain('OOM')
      expect((await rejection(adapter.consumeOnce('a'))).message).to.contain('OOM')
      await client.config('SET', 'maxmemory', '0')
      expect(await adapter.consumeOnce('a')).to.equal(true)
    })

    it('warns once, at the first write, when the server may evict records; each check() asks again', async () => {
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru')
      const factory = createRedisAdapter({ client })
      for (const id of ['a', 'b', 'c']) await factory('SubjectToken').upsert(id, {}, 60)
      await factory('Session').upsert('s', { uid: 'u' }, 60)
      await wait(10)
      expect(warnings.map(({ message }) => message)).to.have.length(1)
      await factory.check()
      await wait(10)
      expect(warnings.map(({ message }) => message)).to.have.length(2)
      expect(warnings[0]?.message).to.match(/allkeys-lru.*noeviction/)
      expect(warnings[0]).to.include({ code: 'REDIS_MAY_EVICT' })
    })

    it('rejects when the server cannot be reached', async () => {
      const gone = await start()
      const lost = new Redis(gone.port, { maxRetriesPerRequest: 0, retryStrategy: () => null })
      lost.on('error', () => {})
      await lost.ping()
      await gone.stop()
      await rejection(createRedisAdapter({ client: lost }).check())
      lost.disconnect()
    })
  })
})
