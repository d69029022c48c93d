import { expect } from 'chai'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { createRedisAdapter, type RedisClient } from '../../../src/adapters/redis/index.ts'
import { deploy } from '../../support/deployment.ts'
import { REFUSED } from '../../support/http.ts'
import { type PrivateRedis, rejection, startRedis, suiteOn } from '../servers.ts'

const suite = await suiteOn('redis-server')

/**
 * The default configuration of Redis ("Redis as it comes" in the docs): snapshots, and no
 * append-only file.
 */
const AS_IT_COMES = ['--save', '3600', '1']
const APPEND_ONLY = ['--appendonly', 'yes']

suite('Redis that ends by kill -9 and starts again from its disk', function () {
  this.timeout(60_000)
  let server: PrivateRedis
  let client: Redis

  async function start(...args: string[]): Promise<void> {
    const started = await startRedis(...args)
    if (!started) throw new Error('redis-server did not start')
    server = started
    client = new Redis(server.port, { retryStrategy: () => 50 })
    client.on('error', () => {})
  }
  afterEach(async () => {
    client.disconnect()
    await server.stop()
  })

  for (const appendfsync of ['always', 'everysec']) {
    it(`I1: with an append-only file, appendfsync ${appendfsync}, a redeemed token stays redeemed`, async () => {
      await start(...APPEND_ONLY, '--appendfsync', appendfsync)
      await using deployment = await deploy({
        configuration: { adapter: createRedisAdapter({ client }) },
      })
      const [redeemed, unused] = [await deployment.subjectToken(), await deployment.subjectToken()]
      expect((await deployment.exchange({ subject_token: redeemed })).status).to.equal(200)
      await server.crash()
      expect((await deployment.exchange({ subject_token: redeemed })).body).to.deep.equal(REFUSED)
      expect((await deployment.exchange({ subject_token: unused })).status).to.equal(200)
    })
  }

  it('I11: with an append-only file, what has ended stays ended, listed and in its status list', async () => {
    await start(...APPEND_ONLY, '--appendfsync', 'always')
    const adapter = createRedisAdapter({ client })('SubjectToken')
    const iat = Math.floor(Date.now() / 1000)
    const listed = { jti: 'e', accountId: 'alice', iat, statusList: 'list', statusIndex: 3 }
    await adapter.upsert('e', listed, 600)
    await adapter.consumeOnce('e', { actor: 'olivia' })
    await adapter.endOnce('e', { at: 1 })
    await server.crash()
    expect(await adapter.endedIndices('list')).to.deep.equal([3])
    const [found] = await adapter.list({ actor: 'olivia' }, 10)
    expect(found).to.deep.include({ jti: 'e', end: { at: 1 } })
    expect(await adapter.consumeOnce('e')).to.equal(false)
  })

  it('as docs/adapters.md warns: from a snapshot, a token that was redeemed is redeemed again', async () => {
    await start(...AS_IT_COMES)
    await using deployment = await deploy({
      configuration: { adapter: createRedisAdapter({ client }) },
      // The end after the replay below could come after the crash.
      impersonation: { ending: { onReplay: 'report' } },
    })
    const subject_token = await deployment.subjectToken()
    await client.save()
    expect((await deployment.exchange({ subject_token })).status).to.equal(200)
    expect((await deployment.exchange({ subject_token })).body).to.deep.equal(REFUSED)
    await server.crash()
    expect((await deployment.exchange({ subject_token })).status).to.equal(200)
  })
})

suite('what check() says of how Redis persists', () => {
  let server: PrivateRedis
  let admin: Redis
  let warnings: Array<Error & { code?: string }>
  const listener = (warning: Error) => warnings.push(warning)

  before(async () => {
    const started = await startRedis(...APPEND_ONLY)
    if (!started) throw new Error('redis-server did not start')
    server = started
    admin = new Redis(server.port)
    await admin.call('ACL', 'SETUSER', 'no-info', 'on', 'nopass', '~*', '+@all', '-info')
  })
  beforeEach(async () => {
    warnings = []
    process.on('warning', listener)
    await admin.config('SET', 'appendonly', 'yes')
    await admin.config('SET', 'maxmemory-policy', 'noeviction')
  })
  afterEach(() => {
    process.off('warning', listener)
  })
  after(async () => {
    admin.disconnect()
    await server.stop()
  })

  /** Warnings come one turn after they were emitted. */
  async function warned(): Promise<Array<string | undefined>> {
    await new Promise((resolve) => setImmediate(resolve))
    return warnings.map(({ code }) => code)
  }

  for (const driver of ['ioredis', 'node-redis with RESP3'] as const) {
    describe(`with ${driver}`, () => {
      let client: RedisClient
      let close: () => void
      const open = async (username?: string) => {
        if (driver === 'ioredis') {
          const redis = new Redis(server.port, username ? { username, password: 'x' } : {})
          return { client: redis, close: () => redis.disconnect() }
        }
        const redis = createClient({
          url: `redis://${username ? `${username}:x@` : ''}127.0.0.1:${server.port}`,
          RESP: 3,
        })
        await redis.connect()
        return { client: redis, close: () => redis.destroy() }
      }
      before(async () => {
        ;({ client, close } = await open())
      })
      after(() => close())

      it('nothing of an append-only file and noeviction', async () => {
        await createRedisAdapter({ client, requirePersistence: true }).check()
        expect(await warned()).to.deep.equal([])
      })

      it('a warning without an append-only file, which requirePersistence refuses', async () => {
        await admin.config('SET', 'appendonly', 'no')
        await createRedisAdapter({ client }).check()
        expect(await warned()).to.deep.equal(['REDIS_MAY_FORGET'])
        expect(warnings[0]?.message).to.equal(
          'Redis has no append-only file: after a crash a subject token that was redeemed may be redeemed again, so set appendonly to yes and appendfsync to everysec or always.',
        )
        const strict = createRedisAdapter({ client, requirePersistence: true })
        expect((await rejection(strict.check())).message).to.match(
          /^createRedisAdapter: requirePersistence: Redis has no append-only file: .*\.$/,
        )
      })

      it('I14: a warning where records may be thrown away, which requirePersistence refuses', async () => {
        await admin.config('SET', 'maxmemory-policy', 'volatile-ttl')
        await createRedisAdapter({ client }).check()
        expect(await warned()).to.deep.equal(['REDIS_MAY_EVICT'])
        expect(warnings[0]?.message).to.equal(
          'Redis runs with maxmemory-policy volatile-ttl: when its memory is full it throws away sessions, grants and tokens that have not expired, and impersonations, which cannot be ended then. Set maxmemory-policy to noeviction, so that it refuses writes instead.',
        )
        const strict = createRedisAdapter({ client, requirePersistence: true })
        expect((await rejection(strict.check())).message).to.match(
          /^createRedisAdapter: requirePersistence: Redis runs with maxmemory-policy volatile-ttl: /,
        )
        expect((await rejection(strict('SubjectToken').find('x'))).message).to.include(
          'volatile-ttl',
        )
      })

      it('where INFO is forbidden, that it is not known, which requirePersistence refuses', async () => {
        const narrow = await open('no-info')
        await createRedisAdapter({ client: narrow.client }).check()
        expect(await warned()).to.deep.equal(['REDIS_PERSISTENCE_UNKNOWN'])
        const strict = createRedisAdapter({ client: narrow.client, requirePersistence: true })
        expect((await rejection(strict.check())).message).to.include('does not tell whether')
        narrow.close()
      })
    })
  }

  it('with requirePersistence no method works before it is so, and all do once it is', async () => {
    await admin.config('SET', 'appendonly', 'no')
    const strict = createRedisAdapter({ client: admin, requirePersistence: true })('SubjectToken')
    for (const call of [
      () => strict.upsert('a', {}, 60),
      () => strict.find('a'),
      () => strict.findByUid('a'),
      () => strict.findByUserCode('a'),
      () => strict.consume('a'),
      () => strict.consumeOnce('a'),
      () => strict.destroy('a'),
      () => strict.revokeByGrantId('a'),
    ]) {
      expect((await rejection(call())).message).to.include('requirePersistence')
    }
    expect(await admin.keys('oidc:*')).to.deep.equal([])
    await admin.config('SET', 'appendonly', 'yes')
    await strict.upsert('a', {}, 60)
    expect(await strict.consumeOnce('a')).to.equal(true)
    expect(await strict.consumeOnce('a')).to.equal(false)
  })

  it('check() asks again: a server that lost its file since is refused, and so is every method', async () => {
    const adapter = createRedisAdapter({ client: admin, requirePersistence: true })
    const strict = adapter('SubjectToken')
    await adapter.check()
    await strict.upsert('b', {}, 60)
    await admin.config('SET', 'appendonly', 'no')
    expect((await rejection(adapter.check())).message).to.include('requirePersistence')
    expect((await rejection(strict.consumeOnce('b'))).message).to.include('requirePersistence')
    await admin.config('SET', 'appendonly', 'yes')
    expect(await strict.consumeOnce('b')).to.equal(true)
  })

  it('refuses a requirePersistence that is neither true nor false', () => {
    // @ts-expect-error: an environment variable, for instance.
    const start = () => createRedisAdapter({ client: admin, requirePersistence: 'no' })
    expect(start).to.throw(TypeError, 'requirePersistence must be true or false')
  })
})
