import { expect } from 'chai'
import { z } from 'zod'
import { type AuthorizationRequest, type Authorize, errors } from '../../src/index.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'

describe('authorize', () => {
  let deployment: Deployment
  afterEach(() => deployment.close())

  async function deployWith(authorize: Authorize): Promise<void> {
    deployment = await deploy({ impersonation: { authorize } })
  }

  it('is asked at both stages, and told what is known', async () => {
    const asked: AuthorizationRequest[] = []
    await deployWith((request) => {
      asked.push(request)
      return true
    })
    const { access_token } = await signIn(deployment, 'olivia')
    const { body } = await deployment.issue({
      userId: 'alice',
      context: { ticketId: 'T' },
      mayAct: { sub: 'olivia' },
      resource: deployment.orders,
      scope: 'orders:read',
    })
    const form = { subject_token: body.subjectToken, actor_token: access_token }
    expect(
      (await deployment.exchange({ ...form, scope: 'orders:read orders:write' })).status,
    ).to.equal(200)
    const facts = asked.map(({ client, account, ctx, ...others }) => ({
      ...others,
      client: client.clientId,
      account: account.accountId,
      path: ctx.request.path,
    }))
    const common = {
      account: 'alice',
      mayAct: { sub: 'olivia' },
      scope: 'orders:read',
      context: { ticketId: 'T' },
    }
    expect(facts).to.deep.equal([
      {
        ...common,
        stage: 'issue',
        path: '/api/subject-tokens',
        client: 'backend',
        actor: { sub: 'olivia' },
        resource: [deployment.orders],
      },
      {
        ...common,
        stage: 'exchange',
        path: '/oidc/token',
        client: 'console',
        actor: { sub: 'olivia' },
        actorClient: 'console',
        software: undefined,
        resource: deployment.orders,
      },
    ])
    for (const request of asked) expect(request).to.satisfy(Object.isFrozen)
  })

  it('false: 403 access_denied at issue, 400 at the exchange, which stays possible', async () => {
    let allowed = 'exchange'
    await deployWith(async ({ stage }) => stage === allowed)
    const refused = await deployment.issue({ userId: 'alice' })
    expect([refused.status, refused.body.error]).to.deep.equal([403, 'access_denied'])
    allowed = 'issue'
    const subject_token = await deployment.subjectToken()
    const denied = await deployment.exchange({ subject_token })
    expect([denied.status, denied.body.error]).to.deep.equal([400, 'access_denied'])
    allowed = 'exchange'
    expect((await deployment.exchange({ subject_token })).status).to.equal(200)
  })

  it('{ scope } narrows, at issue for good, and at the exchange once more', async () => {
    await deployWith(({ stage }) => ({
      scope: stage === 'issue' ? 'orders:read orders:write' : 'orders:read',
    }))
    const subject_token = await deployment.subjectToken()
    const { body } = await deployment.exchange({
      subject_token,
      scope: 'openid orders:read orders:write',
    })
    expect(body.scope).to.equal('orders:read')
  })

  for (const [what, authorize] of Object.entries<Authorize>({
    throws: () => {
      throw new Error('the rule engine is down: secret')
    },
    'rejects later': () => Promise.reject(new errors.AccessDenied('secret')),
    'answers nothing': () => undefined as never,
  })) {
    it(`I9: ${what}: 500, nothing issued, and the subject token stays usable`, async () => {
      let on = false
      await deployWith((request) => (on ? authorize(request) : true))
      const subject_token = await deployment.subjectToken()
      on = true
      const issued = await deployment.issue({ userId: 'alice', scope: 'orders:read' })
      const exchanged = await deployment.exchange({ subject_token })
      for (const { status, body } of [issued, exchanged]) {
        expect([status, body.error]).to.deep.equal([500, 'server_error'])
        expect(JSON.stringify(body)).to.not.include('secret')
      }
      on = false
      expect((await deployment.exchange({ subject_token })).status).to.equal(200)
    })
  }
})

describe('contextSchema', () => {
  const strict = z.object({ ticketId: z.string().min(1), reason: z.string().min(1) })
  const cases: Array<[string, Parameters<typeof deploy>[0]]> = [
    ['a Standard Schema (zod)', { impersonation: { contextSchema: strict } }],
    [
      'a function that answers later',
      {
        impersonation: {
          contextSchema: async (context) => {
            const { issues = [] } = strict.safeParse(context).error ?? {}
            return issues.length > 0 ? { issues } : undefined
          },
        },
      },
    ],
    [
      'a function',
      {
        impersonation: {
          contextSchema(context) {
            const issues = ['ticketId', 'reason']
              .filter((name) => typeof context[name] !== 'string')
              .map((name) => ({ message: 'is required', path: [name] }))
            return issues.length > 0 ? { issues } : undefined
          },
        },
      },
    ],
  ]
  for (const [what, options] of cases) {
    it(`${what} makes members compulsory, and complains by field`, async () => {
      await using deployment = await deploy(options)
      for (const body of [{ userId: 'alice' }, { userId: 'alice', context: { reason: 'x' } }]) {
        const answer = await deployment.issue(body)
        expect([answer.status, answer.body.error]).to.deep.equal([400, 'invalid_request'])
        expect(answer.body.error_description).to.match(/context\.ticketId: /)
      }
      const context = { ticketId: 'T-1', reason: 'billing' }
      expect((await deployment.issue({ userId: 'alice', context })).status).to.equal(201)
    })
  }

  it('what it answers is what is kept', async () => {
    const seen: unknown[] = []
    await using deployment = await deploy({
      impersonation: {
        contextSchema: z.object({ ticketId: z.string().trim() }),
        getCustomJwtClaims: ({ context }) => {
          seen.push(context.grant.subjectTokenContext)
          return {}
        },
      },
    })
    const subject_token = await deployment.subjectToken('alice', { ticketId: ' T-1 ', extra: 1 })
    await deployment.exchange({ subject_token })
    expect(seen.at(-1)).to.deep.equal({ ticketId: 'T-1' })
  })

  it('I9: one that fails, or keeps no object, is 500', async () => {
    for (const contextSchema of [
      () => {
        throw new Error('down')
      },
      () => ({ value: 'text' }),
    ]) {
      await using deployment = await deploy({ impersonation: { contextSchema } })
      expect((await deployment.issue({ userId: 'alice' })).status).to.equal(500)
    }
  })
})
