import { expect } from 'chai'
import { decodeJwt } from 'jose'
import type { Authorize, Verdict } from '../../src/index.ts'
import { recording } from '../support/audit.ts'
import { type DeploymentOptions, deploy } from '../support/deployment.ts'

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
})
