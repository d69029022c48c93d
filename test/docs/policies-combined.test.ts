import { once } from 'node:events'
import { expect } from 'chai'
import type { Redis } from 'ioredis'
import type { RateLimitOptions } from '../../src/index.ts'
import { freePort, skipWithout } from '../adapters/servers.ts'
import { startRedis } from '../example-provider/redis-server.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { type Snippets, snippetsOf } from './documents.ts'

describe('docs/policies.md: limits', () => {
  let snippets: Snippets
  let deployment: Deployment | undefined

  before(async () => {
    snippets = await snippetsOf('policies.md')
  })
  after(() => snippets[Symbol.asyncDispose]())
  afterEach(async () => {
    await deployment?.close()
    deployment = undefined
  })

  describe('throttling', () => {
    async function expectLimits(rateLimits: RateLimitOptions): Promise<void> {
      deployment = await deploy({ impersonation: { rateLimits } })
      const { issue, exchange, subjectToken, m2mToken } = deployment
      const subject_token = await subjectToken()
      const refused = await Promise.all(
        Array.from({ length: 12 }, () => exchange({ subject_token: 'a-guess' })),
      )
      const statuses = refused.map(({ status }) => status).sort()
      expect(statuses).to.deep.equal([...Array(10).fill(400), 429, 429])
      const late = await exchange({ subject_token })
      expect([late.status, late.body.error]).to.deep.equal([429, 'temporarily_unavailable'])
      expect(Number(late.headers.get('retry-after'))).to.be.within(301, 900)

      const token = await m2mToken()
      const issued = await Promise.all(
        Array.from({ length: 31 }, () => issue({ userId: 'alice' }, { token })),
      )
      const others = issued.map(({ status }) => status).sort()
      expect(others).to.deep.equal([...Array(29).fill(201), 429, 429])
    }

    it('in memory', async () => {
      await expectLimits((await snippets.load('Throttling')).rateLimits as RateLimitOptions)
    })

    it('in Redis, and by each process for itself while that is away', async function () {
      await skipWithout(this, 'redis-server')
      const port = await freePort()
      const server = await startRedis(port)
      if (!server) throw new Error('redis-server did not start')
      process.env.REDIS_URL = `redis://127.0.0.1:${port}`
      const { rateLimits, redis } = await snippets.load('Throttling', 1)
      const client = redis as Redis
      try {
        if (client.status !== 'ready') await once(client, 'ready')
        await expectLimits(rateLimits as RateLimitOptions)
        expect((await client.keys('impersonation:*')).sort()).to.deep.equal([
          'impersonation:failed:console|127.0.0.1',
          'impersonation:issue:backend',
        ])
        await server.stop()
        const { status } = (await deployment?.issue({ userId: 'alice' })) ?? {}
        expect(status).to.equal(201)
      } finally {
        delete process.env.REDIS_URL
        client.disconnect()
        await server.stop()
      }
    })
  })
})
