import { expect } from 'chai'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { createRedisAdapter } from '../../../src/adapters/redis/index.ts'
import { deploy } from '../../support/deployment.ts'
import { renewed } from '../../support/shared.ts'
import { warnings } from '../../support/warnings.ts'
import { everyCall } from '../planted.ts'
import { expectRejection, type PrivateRedis, rejection, startRedis, suiteOn } from '../servers.ts'

const suite = await suiteOn('redis-server')

/**
 * The default configuration of Redis ("Redis as it comes" in the docs): snapshots, and no
 * append-only file.
 */
const AS_IT_COMES = ['--save', '3600', '1']
const APPEND_ONLY = ['--appendonly', 'yes']

suite('Redis that ends by kill -9 and starts again from its disk', () => {
  let server: PrivateRedis
  let client: Redis

  async function start(...args: string[]): Promise<void> {
    server = await startRedis(...args)
    client = new Redis(server.port, { retryStrategy: () => 50 })
    client.on('error', () => {})
  }
  afterEach(async () => {
    client.disconnect()
    await server.kill()
  })

  for (const appendfsync of ['always', 'everysec']) {
    it(`I1: with an append-only file, appendfsync ${appendfsync}, a redeemed token stays redeemed`, async () => {
      await start(...APPEND_ONLY, '--appendfsync', appendfsync)
      await using deployment = await deploy({
        adapter: createRedisAdapter({ client }),
      })
      const [redeemed, unused] = [await deployment.subjectToken(), await deployment.subjectToken()]
      await deployment.redeem(redeemed)
      await server.crash()
      await deployment.expectWorthless(redeemed)
      await deployment.redeem(unused)
    })
  }

  it('as docs/adapters.md warns: from a snapshot, a token that was redeemed is redeemed again', async () => {
    await start(...AS_IT_COMES)
    await using deployment = await deploy({
      adapter: createRedisAdapter({ client }),
      // The end after the replay below could come after the crash.
      impersonation: { ending: { onReplay: 'report' } },
    })
    const subject_token = await deployment.subjectToken()
    await client.save()
    await deployment.redeem(subject_token)
    await deployment.expectWorthless(subject_token)
    await server.crash()
    await deployment.redeem(subject_token)
  })
})

suite('what check() says of how Redis persists', () => {
  let server: PrivateRedis
  let admin: Redis
  let resp3: ReturnType<typeof createClient>
  const given = renewed(warnings)

  before(async () => {
    server = await startRedis(...APPEND_ONLY)
    admin = new Redis(server.port)
    resp3 = createClient({ url: `redis://127.0.0.1:${server.port}`, RESP: 3 })
    await resp3.connect()
  })
  beforeEach(async () => {
    await admin.config('SET', 'appendonly', 'yes')
    await admin.config('SET', 'maxmemory-policy', 'noeviction')
  })
  after(async () => {
    admin.disconnect()
    resp3.destroy()
    await server.kill()
  })

  /** Warnings come one turn after they were emitted. */
  async function warned(): Promise<Array<string | undefined>> {
    await new Promise((resolve) => setImmediate(resolve))
    return given.told.map(({ code }) => code)
  }

  it('nothing of an append-only file and noeviction', async () => {
    for (const client of [admin, resp3]) {
      await createRedisAdapter({ client, requirePersistence: true }).check()
    }
    expect(await warned()).to.deep.equal([])
  })

  it('a warning without an append-only file, which requirePersistence refuses', async () => {
    await admin.config('SET', 'appendonly', 'no')
    await requireWarning('REDIS_MAY_FORGET', /^Redis has no append-only file: .* redeemed again/)
  })

  it('I14: a warning where records may be thrown away, which requirePersistence refuses', async () => {
    await admin.config('SET', 'maxmemory-policy', 'volatile-ttl')
    await requireWarning('REDIS_MAY_EVICT', /^Redis runs with .* volatile-ttl: .* noeviction/)
  })

  async function requireWarning(code: string, sentence: RegExp): Promise<void> {
    for (const client of [admin, resp3]) {
      given.told.length = 0
      await createRedisAdapter({ client }).check()
      expect(await warned()).to.deep.equal([code])
      expect(given.told[0]?.message).to.match(sentence)
      const { message } = await rejection(
        createRedisAdapter({ client, requirePersistence: true }).check(),
      )
      const refused = 'createRedisAdapter: requirePersistence: '
      expect(message).to.equal(`${refused}${given.told[0]?.message}`)
    }
  }

  it('where INFO is forbidden, that it is not known, which requirePersistence refuses', async () => {
    await admin.call('ACL', 'SETUSER', 'no-info', 'on', 'nopass', '~*', '+@all', '-info')
    const client = new Redis(server.port, { username: 'no-info', password: 'x' })
    await createRedisAdapter({ client }).check()
    expect(await warned()).to.deep.equal(['REDIS_PERSISTENCE_UNKNOWN'])
    const strict = createRedisAdapter({ client, requirePersistence: true })
    await expectRejection(strict.check(), 'does not tell whether')
    client.disconnect()
  })

  it('at the first write, once, and at each check()', async () => {
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
    const factory = createRedisAdapter({ client: admin })
    for (const id of ['a', 'b']) await factory('SubjectToken').upsert(id, {}, 60)
    await factory('Session').upsert('s', { uid: 'u' }, 60)
    expect(await warned()).to.have.length(1)
    await factory.check()
    expect(await warned()).to.have.length(2)
    await admin.flushall()
  })

  it('with requirePersistence no method works while it is not so, and all do once it is', async () => {
    const factory = createRedisAdapter({ client: admin, requirePersistence: true })
    const strict = factory('SubjectToken')
    for (const isChecked of [false, true]) {
      await admin.config('SET', 'appendonly', 'no')
      // A server that lost its file after a check.
      if (isChecked) await rejection(factory.check())
      for (const call of Object.values(everyCall(strict))) {
        await expectRejection(call(), 'requirePersistence')
      }
      expect(await admin.keys('oidc:*')).to.deep.equal([])
      await admin.config('SET', 'appendonly', 'yes')
      await strict.upsert('a', {}, 60)
      expect(await strict.consumeOnce('a')).to.equal(true)
      await strict.destroy('a')
    }
  })
})
