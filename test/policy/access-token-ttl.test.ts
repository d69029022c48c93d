import { inspect } from 'node:util'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import type { Authorize, Verdict } from '../../src/index.ts'
import { recording } from '../support/audit.ts'
import { type Deployment, type DeploymentOptions, deploy } from '../support/deployment.ts'

const BOTH = 'orders:read orders:write'

/** Answers this at the exchange, and lets everything be issued. */
const atExchange =
  (verdict: Verdict): Authorize =>
  ({ stage }) =>
    stage === 'exchange' ? verdict : true

describe('authorize: accessTokenTtl', () => {
  async function lifeOf(
    impersonation: NonNullable<DeploymentOptions['impersonation']>,
    form: object = {},
  ): Promise<unknown> {
    const deployment = await deploy({ impersonation })
    const subject_token = await deployment.subjectToken()
    const { status, body } = await deployment.exchange({ subject_token, ...form })
    await deployment.close()
    expect(status).to.equal(200)
    const { exp = 0, iat = 0 } = decodeJwt(body.access_token)
    expect(exp - iat).to.equal(body.expires_in)
    return body.expires_in
  }

  it('I8: shortens the life of the access token, and says so everywhere', async () => {
    const { deployment, recorded } = await recording({
      impersonation: { authorize: atExchange({ accessTokenTtl: 60 }) },
    })
    const subject_token = await deployment.subjectToken()
    const { status, body } = await deployment.exchange({ subject_token, scope: BOTH })
    expect([status, body.expires_in]).to.deep.equal([200, 60])
    expect(body.scope, 'without scope, all that was asked for').to.equal(BOTH)
    const { iat = 0, exp = 0 } = decodeJwt(body.access_token)
    expect(exp - iat).to.equal(60)
    const started = (await recorded()).find(({ name }) => name === 'impersonation.started')
    expect(started?.expiresAt).to.be.within(exp - 1, exp)
    await deployment.close()
  })

  it('I8: so of an opaque access token, as introspection tells', async () => {
    const authorize = atExchange({ accessTokenTtl: 60 })
    await using deployment = await deploy({ impersonation: { authorize } })
    const subject_token = await deployment.subjectToken()
    const resource = `${deployment.base}/opaque`
    const { body } = await deployment.exchange({ subject_token, resource })
    expect(body.expires_in).to.equal(60)
    const introspected = await deployment.post(
      '/oidc/token/introspection',
      { token: body.access_token },
      { authorization: `Basic ${btoa('web:web-secret')}` },
    )
    expect(introspected.body.exp - introspected.body.iat).to.equal(60)
  })

  it('I8: never lengthens it: neither over the resource server nor over maxTtl', async () => {
    const longest = Number.MAX_SAFE_INTEGER
    for (const accessTokenTtl of [901, longest]) {
      expect(await lifeOf({ authorize: atExchange({ accessTokenTtl }) })).to.equal(900)
    }
    const authorize = atExchange({ accessTokenTtl: 200 })
    expect(await lifeOf({ authorize, accessToken: { maxTtl: 100 } })).to.equal(100)
    expect(await lifeOf({ authorize, accessToken: { maxTtl: 300 } })).to.equal(200)
  })

  it('has no effect at issue, neither on the subject token nor later', async () => {
    const { deployment, recorded } = await recording({
      impersonation: {
        authorize: ({ stage }) => (stage === 'issue' ? { accessTokenTtl: 5 } : true),
      },
    })
    const { status, body } = await deployment.issue({ userId: 'alice' })
    expect([status, body.expiresIn]).to.deep.equal([201, 600])
    const exchanged = await deployment.exchange({ subject_token: body.subjectToken, scope: BOTH })
    expect([exchanged.body.expires_in, exchanged.body.scope]).to.deep.equal([900, BOTH])
    const [issued] = await recorded()
    expect(issued?.expiresAt).to.be.closeTo(Date.now() / 1000 + 600, 60)
    expect(issued?.scope, 'no limit of scopes is no empty one').to.equal(undefined)
    await deployment.close()
  })

  it('goes together with scope', async () => {
    await using deployment = await deploy({
      impersonation: { authorize: atExchange({ scope: 'orders:read', accessTokenTtl: 30 }) },
    })
    const subject_token = await deployment.subjectToken()
    const { body } = await deployment.exchange({ subject_token, scope: BOTH })
    expect([body.scope, body.expires_in]).to.deep.equal(['orders:read', 30])
  })

  it('leaves alone the scopes that the subject token is bound to', async () => {
    await using deployment = await deploy({
      impersonation: { authorize: () => ({ accessTokenTtl: 60 }) },
    })
    const { body } = await deployment.issue({ userId: 'alice', scope: 'orders:read' })
    const { body: granted } = await deployment.exchange({
      subject_token: body.subjectToken,
      scope: BOTH,
    })
    expect([granted.scope, granted.expires_in]).to.deep.equal(['orders:read', 60])
  })
})

describe('authorize: a verdict that is not one', () => {
  let deployment: Deployment
  let verdict: unknown
  before(async () => {
    const authorize = () => verdict as Verdict
    deployment = await deploy({ impersonation: { authorize } })
  })
  after(() => deployment.close())

  const wrong: ReadonlyArray<[what: string, verdict: unknown]> = [
    ...[0, -1, 1.5, Number.NaN, Infinity, 2 ** 53, '60', null, true, [60], 60n, undefined].map(
      (accessTokenTtl): [string, unknown] => [inspect({ accessTokenTtl }), { accessTokenTtl }],
    ),
    ['a wrong accessTokenTtl beside a good scope', { scope: 'orders:read', accessTokenTtl: 0 }],
    ['a good accessTokenTtl beside a wrong scope', { scope: null, accessTokenTtl: 60 }],
    ['a good accessTokenTtl beside no scope at all', { scope: undefined, accessTokenTtl: 60 }],
    ['a scope that is mistyped', { scop: 'orders:read' }],
    ['an unknown member beside known ones', { scope: 'orders:read', accessTokenTTL: 60 }],
    ['an object with neither member', {}],
    ['a list', [{ accessTokenTtl: 60 }]],
    [
      'an object of a class',
      new (class {
        accessTokenTtl = 60
      })(),
    ],
    ['members that are inherited', Object.create({ accessTokenTtl: 60 })],
  ]
  for (const [what, answer] of wrong) {
    it(`I9, I2: ${what}: 500, nothing issued, and the subject token stays usable`, async () => {
      verdict = true
      const subject_token = await deployment.subjectToken()
      deployment.serverErrors.length = 0
      verdict = answer
      const issued = await deployment.issue({ userId: 'alice', scope: 'orders:read' })
      const exchanged = await deployment.exchange({ subject_token })
      for (const { status, body } of [issued, exchanged]) {
        expect([status, body]).to.deep.equal([
          500,
          { error: 'server_error', error_description: 'oops! something went wrong' },
        ])
      }
      expect(deployment.serverErrors).to.have.length(2)
      for (const error of deployment.serverErrors) {
        expect(inspect(error)).to.match(/TypeError: features\.impersonation\.authorize\b/)
      }
      verdict = { accessTokenTtl: 60 }
      expect((await deployment.exchange({ subject_token })).status).to.equal(200)
    })
  }

  it('does not compile where a name is mistyped', () => {
    const good: Verdict[] = [true, { scope: '' }, { accessTokenTtl: 1 }]
    good.push({ scope: 'orders:read', accessTokenTtl: 1 })
    // @ts-expect-error: there is no such member
    good.push({ scop: 'orders:read' })
    // @ts-expect-error: a number of seconds
    good.push({ accessTokenTtl: '60' })
    // @ts-expect-error: absent is absent, not undefined
    good.push({ accessTokenTtl: undefined })
    expect(good).to.have.length(7)
  })
})
