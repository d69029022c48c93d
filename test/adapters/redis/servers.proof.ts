import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { Cluster, Redis } from 'ioredis'
import { createClient, createClientPool } from 'redis'
import { checkRedis, createRedisAdapter } from '../../../src/adapters/redis/index.ts'
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

  describe('with replicas', () => {
    let primary: PrivateRedis
    let replica: PrivateRedis
    let client: Redis

    before(async () => {
      primary = await start()
      replica = await start('--replicaof', '127.0.0.1', String(primary.port))
      client = new Redis(primary.port)
      await until(async () => /slave0:.*state=online/.test(await client.info('replication')))
    })
    after(() => client.disconnect())

    const consumer = (replicas: number, timeoutMs = 100) =>
      createRedisAdapter({ client, waitForReplicas: { replicas, timeoutMs } })('SubjectToken')

    it('resolves a consumption once the replica has it', async () => {
      const adapter = consumer(1, 5000)
      await adapter.upsert('a', {}, 60)
      expect(await adapter.consumeOnce('a')).to.equal(true)
      const onReplica = new Redis(replica.port)
      expect(await onReplica.hexists('oidc:SubjectToken:id:a', 'consumed')).to.equal(1)
      onReplica.disconnect()
    })

    it('works the same with node-redis', async () => {
      const nodeRedis = await createClient({ url: `redis://127.0.0.1:${primary.port}` }).connect()
      const waitForReplicas = { replicas: 1, timeoutMs: 5000 }
      const adapter = createRedisAdapter({ client: nodeRedis, waitForReplicas })('SubjectToken')
      await adapter.upsert('n', {}, 60)
      expect(await adapter.consumeOnce('n')).to.equal(true)
      expect(await adapter.consumeOnce('n')).to.equal(false)
      nodeRedis.destroy()
    })

    it('rejects when too few replicas answer, and the consumption stands', async () => {
      const adapter = consumer(2)
      await adapter.upsert('b', {}, 60)
      const error = await rejection(adapter.consumeOnce('b'))
      expect(error.message).to.equal('Only 1 of 2 Redis replicas had the write after 100 ms')
      expect(await adapter.consumeOnce('b')).to.equal(false)
    })

    it('waits for the replicas with an end as well, and the end stands where too few answer', async () => {
      await consumer(1, 5000).upsert('ended', { accountId: 'a' }, 60)
      const error = await rejection(consumer(2).endOnce('ended', { at: 1 }))
      expect(error.message).to.equal('Only 1 of 2 Redis replicas had the write after 100 ms')
      expect(await consumer(1, 5000).consumeOnce('ended')).to.equal(false)
      await consumer(1, 5000).upsert('other', { accountId: 'a' }, 60)
      expect(await consumer(1, 5000).endOnce('other', { at: 1 })).to.equal(true)
      const onReplica = new Redis(replica.port)
      expect(await onReplica.hget('oidc:SubjectToken:id:other', 'end')).to.equal('{"at":1}')
      onReplica.disconnect()
    })

    it('rejects when the replica hangs, within the time given', async () => {
      const adapter = consumer(1, 200)
      await adapter.upsert('c', {}, 60)
      replica.process.kill('SIGSTOP')
      try {
        const started = Date.now()
        expect((await rejection(adapter.consumeOnce('c'))).message).to.match(/^Only 0 of 1/)
        // Much less than the minutes of a TCP time-out.
        expect(Date.now() - started).to.be.below(15_000)
        expect(await adapter.consumeOnce('c')).to.equal(false)
      } finally {
        replica.process.kill('SIGCONT')
      }
    })

    it('rejects when the connection is another one after the consumption', async () => {
      const second = new Redis(primary.port)
      let isConsumed = false
      const switching = async (args: string[]) => {
        const [command = '', ...rest] = args
        const reply = await (isConsumed ? second : client).call(command, ...rest)
        isConsumed ||= command === 'EVALSHA' && rest.length === 4
        return reply
      }
      await consumer(1).upsert('d', {}, 60)
      const waitForReplicas = { replicas: 1, timeoutMs: 1000 }
      const adapter = createRedisAdapter({ client: switching, waitForReplicas })('SubjectToken')
      expect((await rejection(adapter.consumeOnce('d'))).message).to.contain('connection')
      expect(await adapter.consumeOnce('d')).to.equal(false)
      second.disconnect()
    })

    it('refuses to wait for replicas on a pool', () => {
      const pool = createClientPool()
      const waitForReplicas = { replicas: 1, timeoutMs: 100 }
      expect(() => createRedisAdapter({ client: pool, waitForReplicas })).to.throw(
        TypeError,
        'pool',
      )
    })

    it("refuses to wait for replicas with ioredis' Cluster, which sends WAIT to any server", () => {
      const cluster = new Cluster([{ host: '127.0.0.1', port: primary.port }], {
        lazyConnect: true,
      })
      const waitForReplicas = { replicas: 1, timeoutMs: 100 }
      expect(() => createRedisAdapter({ client: cluster, waitForReplicas })).to.throw(
        TypeError,
        "waitForReplicas does not work with ioredis' Cluster",
      )
    })

    it('I14: waits for the replicas again where an end is asked for again, and repairs it there', async () => {
      const adapter = consumer(1, 5000)
      const listed = { accountId: 'a', statusList: 'again', statusIndex: 3 }
      await adapter.upsert('again', listed, 60)
      replica.process.kill('SIGSTOP')
      try {
        expect((await rejection(consumer(1, 100).endOnce('again', { at: 1 }))).message).to.match(
          /^Only 0 of 1/,
        )
        expect((await rejection(consumer(1, 100).endOnce('again', { at: 2 }))).message).to.match(
          /^Only 0 of 1/,
        )
      } finally {
        replica.process.kill('SIGCONT')
      }
      expect(await adapter.endOnce('again', { at: 3 })).to.equal(false)
      const onReplica = new Redis(replica.port)
      try {
        expect(await onReplica.hget('oidc:SubjectToken:id:again', 'end')).to.equal('{"at":1}')
        const there = createRedisAdapter({ client: onReplica })('SubjectToken')
        expect(await there.endedIndices('again')).to.deep.equal([3])
      } finally {
        onReplica.disconnect()
      }
    })

    it('rejects writes and claims on a replica, that cannot be written to', async () => {
      const readOnly = new Redis(replica.port)
      const adapter = createRedisAdapter({ client: readOnly })('SubjectToken')
      await consumer(1, 5000).upsert('e', {}, 60)
      for (const call of [
        () => adapter.upsert('f', {}, 60),
        () => adapter.consume('e'),
        () => adapter.consumeOnce('e'),
        () => adapter.destroy('e'),
      ]) {
        expect((await rejection(call())).message).to.contain('READONLY')
      }
      readOnly.disconnect()
    })
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

    it('says nothing when the server evicts nothing', async () => {
      await createRedisAdapter({ client }).check()
      await wait(10)
      expect(warnings).to.deep.equal([])
    })

    it('says nothing of eviction when the server may not be asked', async () => {
      await client.call('ACL', 'SETUSER', 'narrow', 'on', 'nopass', '~*', '+@all', '-info')
      await client.config('SET', 'maxmemory-policy', 'allkeys-lru')
      const narrow = await createClient({
        url: `redis://narrow:x@127.0.0.1:${server.port}`,
      }).connect()
      await checkRedis(narrow)
      await wait(10)
      expect(warnings.map(({ message }) => message).join()).to.not.match(/evict|maxmemory/)
      narrow.destroy()
    })

    it('rejects when the server cannot be reached', async () => {
      const gone = await start()
      const lost = new Redis(gone.port, { maxRetriesPerRequest: 0, retryStrategy: () => null })
      lost.on('error', () => {})
      await lost.ping()
      await gone.stop()
      await rejection(checkRedis(lost))
      lost.disconnect()
    })
  })
})
