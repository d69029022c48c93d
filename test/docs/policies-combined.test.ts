import { once } from 'node:events'
import { expect } from 'chai'
import type { Redis } from 'ioredis'
import type { RateLimiterRedis } from 'rate-limiter-flexible'
import { type Authorize, allOf } from '../../src/index.ts'
import { skipWithout, startRedis } from '../adapters/servers.ts'
import { deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'
import { type Snippets, snippetsOf } from './documents.ts'

const BOUND = { userId: 'alice', mayAct: { sub: 'olivia' } }

describe('docs/policies.md: throttling', () => {
  let snippets: Snippets

  before(async () => {
    snippets = await snippetsOf('policies.md')
  })
  after(() => snippets[Symbol.asyncDispose]())

  it('429 with Retry-After, client by client and operator by operator, at both stages; a preview counts nothing', async () => {
    const { throttled } = await snippets.load('Throttling')
    const authorize = allOf(throttled as Authorize, () => true)
    await using deployment = await deploy({ impersonation: { authorize } })
    const { impersonation } = deployment.provider
    const previews = Array.from({ length: 70 }, () =>
      impersonation.preview(BOUND, { as: 'backend' }),
    )
    for (const { verdict } of await Promise.all(previews)) expect(verdict).to.equal('allowed')

    const token = await deployment.m2mToken()
    const issue = (count: number, body: object) =>
      Promise.all(Array.from({ length: count }, () => deployment.issue(body, { token })))
    const bound = await issue(21, BOUND)
    const statuses = (answers: readonly { status: number }[]) =>
      answers.map(({ status }) => status).sort()
    expect(statuses(bound)).to.deep.equal([...Array(20).fill(201), 429])
    const unbound = await issue(40, { userId: 'alice' })
    expect(statuses(unbound)).to.deep.equal([...Array(39).fill(201), 429])
    const late = unbound.find(({ status }) => status === 429)
    expect(late?.body).to.deep.equal({
      error: 'temporarily_unavailable',
      error_description: 'too many requests: try again later',
    })
    expect(Number(late?.headers.get('retry-after'))).to.be.within(1, 60)

    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const exchanged: [number, string][] = []
    for (const { body } of unbound.filter(({ status }) => status === 201).slice(0, 21)) {
      const subject_token = body.subjectToken
      const { status, headers } = await deployment.exchange({ subject_token, actor_token })
      exchanged.push([status, subject_token])
      if (status === 429) expect(Number(headers.get('retry-after'))).to.be.within(1, 60)
    }
    expect(exchanged.map(([status]) => status)).to.deep.equal([...Array(20).fill(200), 429])
    const subject_token = exchanged.at(-1)?.[1]
    expect((await deployment.exchange({ subject_token })).status, 'it is not redeemed').to.equal(
      200,
    )
  })

  it('in Redis, and by each process for itself while that is away', async function () {
    await skipWithout(this, 'redis-server')
    const server = await startRedis()
    if (!server) throw new Error('redis-server did not start')
    process.env.REDIS_URL = `redis://127.0.0.1:${server.port}`
    const loaded = await snippets.load('Throttling', 1)
    const [client, ofClient] = [loaded.redis as Redis, loaded.ofClient as RateLimiterRedis]
    try {
      if (client.status !== 'ready') await once(client, 'ready')
      await ofClient.consume('issue:backend')
      expect(await client.keys('*')).to.deep.equal(['impersonation:client:issue:backend'])
      await server.kill()
      expect((await ofClient.consume('issue:backend')).consumedPoints).to.equal(1)
    } finally {
      delete process.env.REDIS_URL
      client.disconnect()
      await server.stop()
    }
  })
})
