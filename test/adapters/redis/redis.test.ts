import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { createCluster, createSentinel } from 'redis'
import { adapterContract } from '../../../packages/testing/src/adapters/index.ts'
import { MAX_RETENTION_SECONDS, statusListId } from '../../../src/adapters/record.ts'
import { createRedisAdapter } from '../../../src/adapters/redis/index.ts'
import { warnings } from '../../support/warnings.ts'
import { ageKeys, expectRejection, REDIS_URL, rejection, suiteOn, until } from '../servers.ts'
import { type OpenRedis, openIoredis, openNodeRedis } from './clients.ts'

const suite = await suiteOn('Redis')

suite('createRedisAdapter', () => {
  const keyPrefix = `test:${randomUUID()}:`
  const admin = new Redis(REDIS_URL, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  })
  admin.on('error', () => {})
  const keys = () => admin.keys(`${keyPrefix}*`)

  before(() => admin.connect())
  after(async () => {
    if (admin.status !== 'ready') return
    const left = await keys()
    if (left.length > 0) await admin.del(left)
    admin.disconnect()
  })

  for (const [driver, open] of [
    ['ioredis', openIoredis],
    ['node-redis', openNodeRedis],
  ] as const) {
    describe(`with ${driver}`, () => {
      let connection: Awaited<ReturnType<OpenRedis>>
      before(async () => {
        connection = await open(REDIS_URL)
      })
      after(() => connection.close())

      adapterContract({
        describe,
        it,
        create: () => createRedisAdapter({ client: connection.client, keyPrefix }),
        advance: (seconds) => ageKeys(admin, keyPrefix, seconds),
        async createBroken() {
          const closed = await open(REDIS_URL)
          closed.close()
          return createRedisAdapter({ client: closed.client, keyPrefix })
        },
      })
    })
  }

  describe('in the server', () => {
    const adapter = (model: string) => createRedisAdapter({ client: admin, keyPrefix })(model)

    it('lets every key expire, an index with the record it points to', async () => {
      await adapter('Session').upsert('s', { uid: 'u', userCode: 'c', grantId: 'g' }, 100)
      for (const key of ['id:s', 'uid:u', 'userCode:c', 'grant:g']) {
        expect(await admin.ttl(`${keyPrefix}Session:${key}`)).to.be.within(50, 100)
      }
    })

    it('keeps the index of a grant as long as its longest member, without the expired', async () => {
      const tokens = adapter('RefreshToken')
      const key = `${keyPrefix}RefreshToken:grant:lasting`
      await tokens.upsert('long', { grantId: 'lasting' }, 1000)
      await tokens.upsert('short', { grantId: 'lasting' }, 10)
      expect(await admin.ttl(key)).to.be.within(500, 1000)

      await admin.zadd(key, Date.now() - 1000, 'long-gone')
      await tokens.upsert('never', { grantId: 'lasting' })
      expect(await admin.zrange(key, '0', '-1')).to.have.members(['long', 'short', 'never'])
      expect(await admin.ttl(key)).to.equal(-1)
      await tokens.destroy('never')
      expect(await admin.zrange(key, '0', '-1')).to.have.members(['long', 'short'])
    })

    it('leaves no key behind once a grant is revoked', async () => {
      const tokens = adapter('Revoked')
      for (let i = 0; i < 250; i += 1) await tokens.upsert(`r${i}`, { grantId: 'g' }, 60)
      expect((await keys()).filter((key) => key.includes(':Revoked:'))).to.have.length(251)
      await tokens.revokeByGrantId('g')
      expect((await keys()).filter((key) => key.includes(':Revoked:'))).to.deep.equal([])
    })

    it('answers a consumption and an end that the driver sends twice as it did the first time', async () => {
      const twice = async (args: string[]) => {
        const [command = '', ...rest] = args
        await admin.call(command, ...rest)
        return admin.call(command, ...rest)
      }
      const iat = Math.floor(Date.now() / 1000)
      const listed = { accountId: 'a', iat, statusList: 'resent', statusIndex: 1 }
      const resending = createRedisAdapter({ client: twice, keyPrefix })('SubjectToken')
      await resending.upsert('end-resent', listed, 100)
      expect(await resending.consumeOnce('end-resent', { actor: 'resent' })).to.equal(true)
      expect(await resending.consumeOnce('end-resent', { actor: 'second' })).to.equal(false)
      expect(await resending.endOnce('end-resent', { at: 1 })).to.equal(true)
      expect(await resending.endOnce('end-resent', { at: 2 })).to.equal(false)
      expect(await resending.list({ actor: 'resent' }, 10)).to.have.length(1)
      expect(await resending.endedIndices('resent')).to.deep.equal([1])
    })

    it('I14: keeps the ended indices of a list in the hash of its record, lost together', async () => {
      const tokens = adapter('SubjectToken')
      const list = statusListId('together')
      await tokens.upsert(list, { list: 'together' }, 100)
      const listed = { accountId: 'a', statusList: 'together', statusIndex: 7 }
      await tokens.upsert('in-list', listed, 1000)
      await tokens.endOnce('in-list', { at: 1 })
      const key = `${keyPrefix}SubjectToken:id:${list}`
      expect(await admin.hkeys(key)).to.have.members(['payload', 'ended:0'])
      expect(await admin.ttl(key), 'the life of the list').to.be.within(50, 100)
      expect(await tokens.find(list)).to.deep.equal({ list: 'together' })
      await admin.del(key)
      expect(await tokens.endedIndices('together')).to.deep.equal([])

      expect(await tokens.endOnce('in-list', { at: 2 })).to.equal(false)
      expect(await tokens.endedIndices('together')).to.deep.equal([7])
      expect(await tokens.find(list), 'and brings no list back').to.equal(undefined)
      expect(await tokens.consumeOnce(list)).to.equal(false)
      expect(await admin.ttl(key), 'the life of what ended').to.be.within(900, 1000)
    })

    it('keeps look-ups as long as their longest record, and what expired leaves them', async () => {
      const tokens = adapter('SubjectToken')
      const now = Math.floor(Date.now() / 1000)
      const key = `${keyPrefix}SubjectToken:client:lasting`
      const store = (id: string, iat: number, life?: number) =>
        tokens.upsert(id, { jti: id, accountId: 'a', clientId: 'lasting', iat }, life)
      await store('long', now - 500, 1000)
      await store('short', now, 10)
      expect(await admin.ttl(key)).to.be.within(900, 1000)
      for (let i = 0; i < 200; i += 1) {
        await admin.zadd(key, now - MAX_RETENTION_SECONDS - 60, `expired-${i}`)
      }
      await until(async () => {
        await store('short', now, 10)
        return (await admin.zcount(key, '0', '+inf')) === 2
      })
      expect(await admin.zrange(key, '0', '-1')).to.include.members(['long', 'short'])

      await admin.zadd(key, now - 400, 'destroyed')
      await admin.zadd(key, now, 'not-written-yet')
      expect(await tokens.list({ clientId: 'lasting' }, 100)).to.have.length(2)
      await until(async () => (await admin.zscore(key, 'destroyed')) === null)
      expect(await admin.zscore(key, 'not-written-yet')).to.equal(String(now))

      await store('never', now)
      await store('short', now, 10)
      expect(await admin.ttl(key)).to.be.above(MAX_RETENTION_SECONDS - 60)
    })

    it("lists a record of the plugin's own by its account alone", async () => {
      const tokens = adapter('SubjectToken')
      await tokens.upsert('own', { jti: 'own', iat: 4e9, accountId: '\u0001own' }, 100)
      const listed = async (lookUp: object) => (await tokens.list(lookUp, 1)).map(({ jti }) => jti)
      expect(await listed({ accountId: '\u0001own' })).to.deep.equal(['own'])
      expect(await listed({})).to.not.include('own')
    })

    it('leaves nothing that reads as success if a step fails', async () => {
      let refused = ''
      const stepwise = async (args: string[]) => {
        const [command = '', ...rest] = args
        if (refused && rest.some((arg) => arg.includes(refused))) throw new Error('refused')
        return admin.call(command, ...rest)
      }
      const tokens = createRedisAdapter({ client: stepwise, keyPrefix })('SubjectToken')
      const stored = { accountId: 'a', clientId: 'c', statusList: 'stepwise', statusIndex: 4 }
      refused = ':client:'
      await rejection(tokens.upsert('steps', stored, 100))
      refused = ''
      expect(await tokens.find('steps'), 'no record before its look-ups').to.equal(undefined)
      await tokens.upsert('steps', stored, 100)

      refused = ':status-list:'
      await rejection(tokens.endOnce('steps', { at: 1 }))
      expect((await tokens.find('steps'))?.end, 'no end before its index').to.equal(undefined)
      refused = ''
      expect(await tokens.endOnce('steps', { at: 2 })).to.equal(true)
      expect(await tokens.endedIndices('stepwise')).to.deep.equal([4])

      await tokens.upsert('steps-2', stored, 100)
      refused = ':actor:'
      await rejection(tokens.consumeOnce('steps-2', { actor: 'unlisted' }))
      refused = ''
      expect(await tokens.consumeOnce('steps-2', { actor: 'unlisted' })).to.equal(false)
    })
  })

  it('rejects a consumption that Redis answers with nonsense', async () => {
    for (const reply of [null, '', 'OK', 2, undefined]) {
      const tokens = createRedisAdapter({ client: async () => reply })('SubjectToken')
      await expectRejection(tokens.consumeOnce('a'), TypeError)
    }
  })

  it("refuses node-redis' createSentinel and createCluster, and shows the function that works", () => {
    const sentinel = createSentinel({ name: 'm', sentinelRootNodes: [{ host: 'x', port: 1 }] })
    const cluster = createCluster({ rootNodes: [{ url: 'redis://127.0.0.1:1' }] })
    for (const [client, way] of [
      [sentinel, '(args) => sentinel.sendCommand(false, args)'],
      [cluster, '(args, key) => cluster.sendCommand(key, false, args)'],
    ] as const) {
      expect(() => createRedisAdapter({ client: client as never })).to.throw(TypeError, way)
    }
  })

  describe('the ended indices of a list', () => {
    const chunk = (...ended: number[]) => {
      const values = Array.from({ length: 86 }, () => 0)
      for (const at of ended)
        values[Math.floor(at / 6)] = (values[Math.floor(at / 6)] ?? 0) | (1 << (at % 6))
      return String.fromCharCode(...values.map((value) => 48 + value))
    }
    const fields = { payload: '{}', 'ended:0': chunk(3, 5, 511), 'ended:2047': chunk(511) }
    const tokensWith = (hash: () => unknown) =>
      createRedisAdapter({ client: async () => hash() })('SubjectToken')

    it('are the bits of its chunks, by RESP2 and RESP3', async () => {
      for (const hash of [
        Object.entries(fields).flat(),
        Object.assign(Object.create(null), fields),
        new Map(Object.entries(fields)),
      ]) {
        const indices = await tokensWith(() => hash).endedIndices('list')
        expect(indices).to.have.members([3, 5, 511, 2 ** 20 - 1])
      }
    })

    it('I5: are trouble where Redis tells no hash or half a chunk, and never none', async () => {
      for (const hash of [null, 'OK', { 'ended:0': '00' }]) {
        const tokens = tokensWith(() => hash)
        await expectRejection(tokens.endedIndices('list'), TypeError)
        const next = tokens.followEnded?.('list').next() ?? expect.fail()
        await expectRejection(
          next.then((indices) => [...indices]),
          TypeError,
        )
      }
    })

    it('cost a follower one command and 178 KB, whatever has ended, and nothing old is told', async () => {
      const full = Object.fromEntries(
        Array.from({ length: 2048 }, (_, n) => [`ended:${n}`, chunk(...Array(512).keys())]),
      )
      let asked = 0
      let hash: Record<string, string> = full
      const tokens = tokensWith(() => {
        asked += 1
        return hash
      })
      const follower = tokens.followEnded?.('list') ?? expect.fail()
      const told = async () => [...(await follower.next())]
      expect(Object.values(full).join('').length).to.equal(2048 * 86)
      expect(await told()).to.have.length(2 ** 20)
      expect(await told()).to.deep.equal([])
      hash = { ...full, 'ended:0': chunk(1) }
      expect(await told()).to.deep.equal([])
      hash = { ...full, 'ended:0': chunk(1, 2) }
      expect(await told()).to.deep.equal([2])
      expect(asked).to.equal(4)
    })

    it('a follower warns once of ends that a server has lost, and tells them when they are asked for again', async () => {
      using given = warnings()
      let hash: Record<string, string> = { 'ended:0': chunk(1, 2) }
      const follower = tokensWith(() => hash).followEnded?.('warned') ?? expect.fail()
      const told = async () => [...(await follower.next())]
      expect(await told()).to.deep.equal([1, 2])
      for (hash of [{ 'ended:0': chunk(1) }, { 'ended:0': chunk(1, 3) }, { 'ended:0': chunk(3) }]) {
        await told()
      }
      hash = { 'ended:0': chunk(1, 2, 3) }
      expect(await told()).to.deep.equal([1, 2])
      await new Promise((resolve) => setImmediate(resolve))
      const messages = given.told.map(({ message }) => message)
      expect(
        messages.filter((text) => text.includes('Redis has lost ends of the status list warned')),
      ).to.have.length(1)
    })
  })
})
