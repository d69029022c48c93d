import { expect } from 'chai'
import { z } from 'zod'
import {
  type AuthorizationRequest,
  type Authorize,
  errors,
  type ImpersonationOptions,
} from '../../src/index.ts'
import { recording } from '../support/audit.ts'
import { deploy } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { claimsOf } from '../support/own-hooks.ts'

const BOTH = 'orders:read orders:write'

describe('authorize', () => {
  const deployWith = (authorize: Authorize) => deploy({ impersonation: { authorize } })

  it('is asked at both stages, and told what is known', async () => {
    const asked: AuthorizationRequest[] = []
    await using deployment = await deployWith((request) => {
      asked.push(request)
      return true
    })
    const access_token = await deployment.actorToken()
    const subject_token = await deployment.subjectToken({
      context: { ticketId: 'T' },
      mayAct: { sub: 'olivia' },
      resource: deployment.orders,
      scope: 'orders:read',
    })
    const form = { subject_token, actor_token: access_token, scope: BOTH }
    await expectAnswer(deployment.exchange(form), 200)
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
    await using deployment = await deployWith(async ({ stage }) => stage === allowed)
    await expectAnswer(deployment.issue(), 403, 'access_denied')
    allowed = 'issue'
    const subject_token = await deployment.subjectToken()
    await expectAnswer(deployment.exchange({ subject_token }), 400, 'access_denied')
    allowed = 'exchange'
    await deployment.redeem(subject_token)
  })

  it('{ scope } narrows, at issue for good, where an empty one allows nothing, and at the exchange once more', async () => {
    await using deployment = await recording({
      impersonation: {
        authorize: ({ stage, context: { limit } }) =>
          stage === 'issue' ? { scope: String(limit) } : { scope: 'orders:read' },
      },
    })
    const exchange = async (limit: string, binding = {}) => {
      const subject_token = await deployment.subjectToken({ context: { limit }, ...binding })
      const form = { subject_token, scope: `openid ${BOTH}` }
      const { error, scope } = (await deployment.exchange(form)).body
      return error ?? scope
    }
    expect(await exchange(BOTH)).to.equal('orders:read')
    expect(await exchange('')).to.equal('invalid_scope')
    expect(await exchange('', { scope: 'orders:read' })).to.equal('invalid_scope')
    const scopes = (await deployment.recorded()).filter(({ name }) => name.endsWith('issued'))
    expect(scopes.map(({ scope }) => scope)).to.deep.equal([BOTH, '', ''])
  })

  it('I8: { accessTokenTtl } shortens the access token and never lengthens it, and says so everywhere; at issue it has no effect', async () => {
    await using deployment = await recording({
      impersonation: {
        accessToken: { maxTtl: 800 },
        authorize: ({ stage, context: { issue, exchange } }) => ({
          accessTokenTtl: Number(stage === 'issue' ? issue : exchange),
        }),
      },
    })
    for (const [context, lives] of [
      [{ issue: 5, exchange: 60 }, 60],
      [{ issue: 5, exchange: 801 }, 800],
      [{ issue: 5, exchange: Number.MAX_SAFE_INTEGER }, 800],
    ] as const) {
      for (const resource of [deployment.orders, `${deployment.base}/opaque`]) {
        const issued = await deployment.issue({ userId: 'alice', context })
        expect(issued.body.expiresIn).to.equal(600)
        const form = { subject_token: issued.body.subjectToken, resource }
        const { body } = await deployment.exchange({ ...form, scope: 'orders:read' })
        const { exp, iat } = await claimsOf(deployment, body.access_token)
        const started = (await deployment.recorded()).at(-1)
        const told = [body.expires_in, Number(exp) - Number(iat), started?.expiresAt]
        expect(told).to.deep.equal([lives, lives, exp])
        expect(body.scope, 'without scope, all that was asked for').to.equal('orders:read')
      }
    }
    const { expiresAt = 0, scope } = (await deployment.recorded())[0] ?? {}
    expect(expiresAt).to.be.closeTo(Date.now() / 1000 + 600, 60)
    expect(scope, 'no limit of scopes is no empty one').to.equal(undefined)
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
      await using deployment = await deployWith((request) => (on ? authorize(request) : true))
      const subject_token = await deployment.subjectToken()
      on = true
      const issued = await deployment.issue({ userId: 'alice', scope: 'orders:read' })
      const exchanged = await deployment.exchange({ subject_token })
      for (const answer of [issued, exchanged]) {
        const { body } = await expectAnswer(answer, 500, 'server_error')
        expect(JSON.stringify(body)).to.not.include('secret')
      }
      on = false
      await deployment.redeem(subject_token)
    })
  }
})

describe('contextSchema', () => {
  const strict = z.object({ ticketId: z.string().min(1), reason: z.string().min(1) })
  const withIssues = (
    issues: readonly z.core.$ZodIssue[] | { message: string; path: string[] }[] = [],
  ) => (issues.length > 0 ? { issues } : undefined)
  const needingThis = {
    strict,
    validate(value: unknown) {
      const { data, error } = this.strict.safeParse(value)
      return data ? { value: data } : { issues: error?.issues ?? [] }
    },
  }
  const schemas: Record<string, ImpersonationOptions['contextSchema']> = {
    'a Standard Schema (zod)': strict,
    'a function that answers later': async (context) =>
      withIssues(strict.safeParse(context).error?.issues),
    'a function': (context) =>
      withIssues(
        ['ticketId', 'reason']
          .filter((name) => typeof context[name] !== 'string')
          .map((name) => ({ message: 'is required', path: [name] })),
      ),
    'a Standard Schema whose validate needs its this': { '~standard': needingThis },
  }
  for (const [what, contextSchema] of Object.entries(schemas)) {
    it(`${what} makes members compulsory, and complains by field`, async () => {
      await using deployment = await deploy({ impersonation: { contextSchema } })
      for (const body of [{ userId: 'alice' }, { userId: 'alice', context: { reason: 'x' } }]) {
        const answer = await expectAnswer(deployment.issue(body), 400, 'invalid_request')
        expect(answer.body.error_description).to.match(/context\.ticketId: /)
      }
      const context = { ticketId: 'T-1', reason: 'billing' }
      await expectAnswer(deployment.issue({ userId: 'alice', context }), 201)
    })
  }

  it('what it answers is kept, as JSON says it, and frozen for the rule; I9: one that fails, or keeps no object, is 500', async () => {
    let answer: () => unknown
    const seen: unknown[] = []
    await using deployment = await deploy({
      impersonation: {
        contextSchema: () => ({ value: answer() }) as never,
        authorize({ context }) {
          expect(() => Object.assign(context, { evil: 1 })).to.throw(TypeError)
          expect(context.nested).to.satisfy(Object.isFrozen)
          return true
        },
        getCustomJwtClaims: ({ context }) => {
          seen.push(context.grant.subjectTokenContext)
          return {}
        },
      },
    })
    let deep: object = {}
    for (let level = 0; level < 500; level += 1) deep = { deep }
    for (const wrong of [{ toJSON: () => 'text' }, deep, [], 'text']) {
      answer = () => wrong
      await expectAnswer(deployment.issue(), 500)
    }
    answer = () => {
      throw new Error('down')
    }
    await expectAnswer(deployment.issue(), 500)
    answer = () => ({ when: new Date(0), nested: { n: 1 } })
    const subject_token = await deployment.subjectToken({ context: { extra: 1 } })
    await deployment.exchange({ subject_token })
    expect(seen.at(-1)).to.deep.equal({ when: '1970-01-01T00:00:00.000Z', nested: { n: 1 } })
  })
})
