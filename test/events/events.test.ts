import { setImmediate as turn } from 'node:timers/promises'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import type { ImpersonationEvent } from '../../src/index.ts'
import { startingLine } from '../advisories/attacks.ts'
import { EVENT_NAMES } from '../support/audit.ts'
import { type Deployment, type DeploymentOptions, deploy } from '../support/deployment.ts'
import { memoryAdapterWith } from '../support/faulty-adapter.ts'
import { signIn } from '../support/sign-in.ts'

type Recorded = ImpersonationEvent & { readonly name: (typeof EVENT_NAMES)[number] }

describe('audit events', () => {
  let deployment: Deployment
  let events: Recorded[]

  async function deployRecording(options: DeploymentOptions = {}): Promise<void> {
    deployment = await deploy(options)
    events = []
    for (const name of EVENT_NAMES) {
      deployment.provider.on(name, (_ctx, event) => events.push({ name, ...event }))
    }
  }
  afterEach(() => deployment.close())

  /** Events come after the answer. */
  async function recorded(): Promise<Recorded[]> {
    await turn()
    await turn()
    return events
  }

  it('one for each thing that happened, with one id for the whole life of the token', async () => {
    await deployRecording()
    const actor_token = (await signIn(deployment, 'olivia')).access_token
    const context = { ticketId: 'SUP-1' }
    const issued = await deployment.issue({
      userId: 'alice',
      context,
      resource: deployment.orders,
      scope: 'orders:read',
      mayAct: { sub: 'olivia' },
    })
    const subject_token = issued.body.subjectToken
    await deployment.exchange({ subject_token })
    const { body } = await deployment.exchange({ subject_token, actor_token })
    await deployment.exchange({ subject_token, actor_token })
    const [first, second, third, fourth, ...others] = await recorded()
    expect(others).to.deep.equal([])

    const { jti, exp = 0 } = decodeJwt(body.access_token)
    const { createHash } = await import('node:crypto')
    const id = createHash('sha256').update(subject_token).digest('base64url')
    const common = { id, userId: 'alice', requestedBy: 'backend', context }
    expect(first).to.deep.include({
      ...common,
      name: 'impersonation.issued',
      actor: { sub: 'olivia' },
      resource: [deployment.orders],
      scope: 'orders:read',
    })
    expect(Math.abs((first?.expiresAt ?? 0) - Date.now() / 1000 - 600)).to.be.lessThan(10)
    expect(second).to.deep.include({ ...common, name: 'impersonation.denied', client: 'console' })
    expect(second?.denial).to.deep.equal({
      stage: 'exchange',
      error: 'invalid_request',
      reason: 'subject token is invalid: bound to an operator, and none acts',
    })
    expect(third).to.deep.include({
      ...common,
      name: 'impersonation.started',
      client: 'console',
      actor: { sub: 'olivia' },
      resource: deployment.orders,
      scope: 'orders:read',
      jti,
    })
    expect(Math.abs((third?.expiresAt ?? 0) - exp)).to.be.lessThan(3)
    expect(fourth).to.deep.include({ ...common, name: 'impersonation.replayed', client: 'console' })
    expect(fourth?.redemption?.jti).to.equal(jti)
    expect(fourth?.redemption?.at).to.be.a('number')
    for (const event of events) expect(Math.abs(Date.now() - event.timeMs)).to.be.lessThan(10_000)
  })

  it('of 50 exchanges that all pass every check first, one grant and 49 replays that name it', async () => {
    await deployRecording({ impersonation: { getCustomJwtClaims: startingLine(50) } })
    let consumed = 0
    deployment.provider.on('subject_token.consumed', () => {
      consumed += 1
    })
    const subject_token = await deployment.subjectToken()
    await Promise.all(Array.from({ length: 50 }, () => deployment.exchange({ subject_token })))
    expect(consumed).to.equal(1)
    const [issued, ...rest] = await recorded()
    expect(issued?.name).to.equal('impersonation.issued')
    const started = rest.filter(({ name }) => name === 'impersonation.started')
    const replayed = rest.filter(({ name }) => name === 'impersonation.replayed')
    expect([started.length, replayed.length, rest.length]).to.deep.equal([1, 49, 50])
    for (const { redemption } of replayed) {
      expect(redemption?.jti).to.equal(started[0]?.jti)
      expect(redemption?.at).to.be.a('number')
    }
  })

  it("come with the request's context, which has what oidc-provider's own events have", async () => {
    await deployRecording()
    const entities: unknown[] = []
    const others: unknown[] = []
    for (const name of ['impersonation.issued', 'impersonation.started'] as const) {
      deployment.provider.on(name, (ctx) => {
        entities.push(Object.keys(ctx.oidc.entities).sort())
        others.push(
          typeof ctx.oidc.params,
          ctx.oidc.urlFor('resume', { mountPath: '/oidc', uid: 'x' }),
        )
      })
    }
    await deployment.exchange({ subject_token: await deployment.subjectToken() })
    await recorded()
    expect(entities).to.deep.equal([
      ['Account', 'Client', 'SubjectToken'],
      ['AccessToken', 'Account', 'Client', 'SubjectToken'],
    ])
    const url = `${deployment.issuer}/auth/x`
    expect(others).to.deep.equal(['object', url, 'object', url])
  })

  it('refusals at issue: who asked, for whom, what they were told and why', async () => {
    await deployRecording({ impersonation: { authorize: () => false } })
    await deployment.issue({ userId: 'nobody' })
    await deployment.issue({ userId: 'alice' })
    await deployment.issue({ userId: 'alice' }, { token: 'wrong' })
    const denials = (await recorded()).map(({ name, requestedBy, userId, denial }) => [
      name.split('.')[1],
      requestedBy,
      userId,
      denial?.stage,
      denial?.error,
    ])
    expect(denials).to.deep.equal([
      ['denied', 'backend', 'nobody', 'issue', 'user_not_found'],
      ['denied', 'backend', 'alice', 'issue', 'access_denied'],
      ['denied', undefined, undefined, 'issue', 'invalid_token'],
    ])
  })

  it('listeners that throw, reject or never end change nothing for the client or each other', async () => {
    await deployRecording()
    const warnings: Error[] = []
    const warned = (warning: Error) => warnings.push(warning)
    process.on('warning', warned)
    for (const name of EVENT_NAMES) {
      deployment.provider.prependListener(name, () => {
        throw new Error('thrown')
      })
      deployment.provider.prependListener(name, async () => {
        throw new Error('rejected')
      })
      deployment.provider.prependListener(name, () => new Promise(() => {}))
    }
    const subject_token = await deployment.subjectToken()
    expect((await deployment.exchange({ subject_token })).status).to.equal(200)
    expect((await deployment.exchange({ subject_token })).status).to.equal(400)
    expect((await recorded()).map(({ name }) => name)).to.deep.equal([
      'impersonation.issued',
      'impersonation.started',
      'impersonation.replayed',
    ])
    await turn()
    process.off('warning', warned)
    expect(warnings.filter(({ name }) => name === 'ImpersonationWarning').length).to.equal(6)
  })

  it("nor do those of the provider's own events that throw: no token is lost, and a warning says so", async () => {
    await deployRecording()
    const warnings: string[] = []
    const warned = ({ message }: Error) => warnings.push(message)
    process.on('warning', warned)
    const names = [
      'subject_token.saved',
      'subject_token.consumed',
      'access_token.issued',
      'access_token.saved',
    ]
    for (const name of names) {
      deployment.provider.on(name as 'access_token.issued', () => {
        throw new Error('thrown')
      })
    }
    for (const resource of [deployment.orders, `${deployment.base}/opaque`]) {
      const subject_token = await deployment.subjectToken()
      const { status, body } = await deployment.exchange({ subject_token, resource })
      expect([status, typeof body.access_token]).to.deep.equal([200, 'string'])
    }
    await turn()
    process.off('warning', warned)
    for (const name of names) expect(warnings).to.include(`a listener for ${name} failed: thrown`)
    expect(deployment.serverErrors).to.deep.equal([])
  })

  it('I6: no token value in any event, whoever put it into an error', async () => {
    const adapter = memoryAdapterWith({})
    const talkative = (model: string) => {
      const target = adapter(model)
      return new Proxy(target, {
        get: (inner, name) =>
          model === 'AccessToken' && name === 'find'
            ? (id: string) => Promise.reject(new Error(`no connection for AccessToken:${id}`))
            : Reflect.get(inner, name),
        has: (inner, name) => Reflect.has(inner, name),
      })
    }
    await deployRecording({ configuration: { adapter: talkative } })
    const m2m = await deployment.m2mToken()
    const { body } = await deployment.issue({ userId: 'alice' }, { token: m2m })
    const subject_token = body.subjectToken
    const actor_token = (await signIn(deployment, 'olivia')).access_token
    await deployment.exchange({ subject_token, actor_token })
    const granted = await deployment.exchange({
      subject_token,
      resource: `${deployment.base}/opaque`,
    })
    await deployment.exchange({ subject_token })
    const text = inspect(await recorded(), { depth: 9, showHidden: true })
    expect(text).to.include('[concealed]')
    for (const value of [m2m, subject_token, actor_token, granted.body.access_token]) {
      expect(value).to.be.a('string')
      expect(text).to.not.include(value)
    }
  })

  it('TypeScript knows the events', () => {
    const compiles = (at: Deployment) => {
      at.provider.on('impersonation.started', (_ctx, event) => event.jti?.length)
      // @ts-expect-error: there is no such member
      at.provider.on('impersonation.started', (_ctx, event) => event.token)
      // @ts-expect-error: there is no such event
      at.provider.on('impersonation.revoked', () => {})
    }
    expect(compiles).to.be.a('function')
    return deployRecording()
  })
})
