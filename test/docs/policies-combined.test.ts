import { once } from 'node:events'
import { expect } from 'chai'
import type { Redis } from 'ioredis'
import type { Authorize, LimitOptions } from '../../src/index.ts'
import { freePort, inCi } from '../adapters/servers.ts'
import { startRedis } from '../example-provider/redis-server.ts'
import { type Answer, type Deployment, deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'
import { type Snippets, snippetsOf } from './documents.ts'

interface Approval {
  readonly userId: string
  readonly requestedBy: string
  readonly approvedBy: string
  readonly until: number
}

describe('docs/policies.md: people, limits', () => {
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

  describe('four eyes', () => {
    const APPROVAL: Approval = {
      userId: 'alice',
      requestedBy: 'olivia',
      approvedBy: 'grace',
      until: Date.now() + 3_600_000,
    }
    const REQUEST = {
      userId: 'alice',
      mayAct: { sub: 'olivia' },
      context: { ticketId: 'SUP-1', approvedBy: 'grace' },
    }
    let approvals: Map<string, Approval>
    let broken: boolean

    beforeEach(async () => {
      const { fourEyes } = await snippets.load('Four eyes')
      const find = async (ticketId: string) => {
        if (broken) throw new Error('the records cannot be read')
        return approvals.get(ticketId)
      }
      approvals = new Map([['SUP-1', APPROVAL]])
      broken = false
      const authorize = (fourEyes as (find: unknown) => Authorize)(find)
      deployment = await deploy({ impersonation: { authorize } })
    })

    async function issue(request: object = REQUEST): Promise<Answer> {
      if (!deployment) throw new Error('nothing is deployed')
      return deployment.issue(request)
    }

    async function exchange(subject_token: string, actor = 'olivia'): Promise<Answer> {
      if (!deployment) throw new Error('nothing is deployed')
      const { access_token: actor_token } = await signIn(deployment, actor)
      return deployment.exchange({ subject_token, actor_token })
    }

    it('lets the operator act whose request another one approved', async () => {
      const { status, body } = await issue()
      expect(status).to.equal(201)
      expect((await exchange(body.subjectToken)).status).to.equal(200)
    })

    const forged: [why: string, request: object, approval?: Partial<Approval>][] = [
      ['there is no approval', { ...REQUEST, context: { ticketId: 'SUP-2', approvedBy: 'grace' } }],
      ['the context names nobody', { ...REQUEST, context: { ticketId: 'SUP-1' } }],
      ['it names another one', { ...REQUEST, context: { ticketId: 'SUP-1', approvedBy: 'bob' } }],
      ['it was for another operator', { ...REQUEST, mayAct: { sub: 'bob' } }],
      ['it was for another user', { ...REQUEST, userId: 'bob' }],
      ['the token is bound to nobody', { ...REQUEST, mayAct: undefined }],
      ['it has run out', REQUEST, { until: Date.now() - 1000 }],
      [
        'she approved it herself',
        { ...REQUEST, context: { ticketId: 'SUP-1', approvedBy: 'olivia' } },
        { approvedBy: 'olivia' },
      ],
    ]
    for (const [why, request, approval] of forged) {
      it(`refuses where ${why}`, async () => {
        approvals.set('SUP-1', { ...APPROVAL, ...approval })
        const { status, body } = await issue(request)
        expect([status, body.error]).to.deep.equal([403, 'access_denied'])
      })
    }

    it('refuses the exchange once the approval is withdrawn, and allows it again after', async () => {
      const { body } = await issue()
      approvals.clear()
      const refused = await exchange(body.subjectToken)
      expect([refused.status, refused.body.error]).to.deep.equal([400, 'access_denied'])
      approvals.set('SUP-1', APPROVAL)
      expect((await exchange(body.subjectToken)).status).to.equal(200)
    })

    it('issues nothing while the records cannot be read', async () => {
      const { body } = await issue()
      broken = true
      expect((await issue()).status).to.equal(500)
      expect((await exchange(body.subjectToken)).status).to.equal(500)
    })
  })

  describe('throttling', () => {
    async function expectLimits(limits: LimitOptions): Promise<void> {
      deployment = await deploy({ impersonation: { limits } })
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
      await expectLimits((await snippets.load('Throttling')).limits as LimitOptions)
    })

    it('in Redis, and by each process for itself while that is away', async function () {
      const port = await freePort()
      const server = await startRedis(port)
      if (!server) {
        if (inCi) throw new Error('redis-server is missing')
        this.skip()
      }
      process.env.REDIS_URL = `redis://127.0.0.1:${port}`
      const { limits, redis } = await snippets.load('Throttling', 1)
      const client = redis as Redis
      try {
        if (client.status !== 'ready') await once(client, 'ready')
        await expectLimits(limits as LimitOptions)
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
