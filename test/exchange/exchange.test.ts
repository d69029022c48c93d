import { expect } from 'chai'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { application } from '../support/clients.ts'
import { type Answer, deploy, type Form } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { shared } from '../support/shared.ts'

const AUDIENCE = 'https://audience.example'

// The requests and responses of RFC 8693: ../rfc8693/requirements.test.ts.
describe('token exchange', () => {
  const deployment = shared(() =>
    deploy({
      impersonation: { accessToken: { maxTtl: 1800 } },
      configuration: { scopes: ['openid', 'offline_access', 'orders:write'] },
      clients: [{ ...application, client_id: 'narrow', scope: 'openid' }],
      resources: {
        'https://long.example': { scope: 'read', accessTokenFormat: 'jwt', accessTokenTTL: 7200 },
        [AUDIENCE]: { scope: 'read', audience: 'logical', accessTokenFormat: 'jwt' },
      },
    }),
  )

  async function exchange(form: Form = {}, headers?: Record<string, string>): Promise<Answer> {
    return deployment.exchange({ ...form }, headers)
  }

  /** The claims of the JWT that this exchange issues, verified as an API would. */
  async function claimsOf({ status, body }: Answer) {
    expect(status, JSON.stringify(body)).to.equal(200)
    const keys = createRemoteJWKSet(new URL(`${deployment.issuer}/jwks`))
    const expected = { typ: 'at+jwt', issuer: deployment.issuer }
    return (await jwtVerify(body.access_token, keys, expected)).payload
  }

  it('the access token is a JWT of the user for the resource, signed by the provider', async () => {
    const { exp = 0, iat = 0, jti, status, ...claims } = await claimsOf(await exchange())
    expect(claims).to.deep.equal({
      sub: 'alice',
      aud: deployment.orders,
      iss: deployment.issuer,
      client_id: 'console',
      scope: 'orders:read',
    })
    expect([exp - iat, typeof jti, typeof status]).to.deep.equal([900, 'string', 'object'])
  })

  it('scope is narrowed to what the client allows, too; no scope asked for, no scope granted', async () => {
    const form = { client_id: 'narrow', scope: 'orders:read orders:write openid' }
    const { body } = await exchange(form)
    expect(body.scope.split(' ').sort()).to.deep.equal(['openid', 'orders:read'])
    for (const scope of [undefined, '']) {
      const answer = await exchange({ scope })
      expect(answer.body).to.not.have.property('scope')
      expect(await claimsOf(answer)).to.not.have.property('scope')
    }
  })

  it('audience may repeat the resource, or its audience', async () => {
    await expectAnswer(exchange({ audience: deployment.orders }), 200)
    const form = { resource: AUDIENCE, audience: 'logical', scope: 'read' }
    expect((await claimsOf(await exchange(form))).aud).to.equal('logical')
  })

  it("I8: the lifetime is the resource server's, capped by accessToken.maxTtl", async () => {
    const answer = await exchange({ resource: 'https://long.example', scope: 'read' })
    expect(answer.body.expires_in).to.equal(1800)
    const { exp = 0, iat = 0 } = await claimsOf(answer)
    expect(exp - iat).to.equal(1800)
  })

  it('an impersonated token is refused by userinfo, as every token with an audience is', async () => {
    for (const resource of [deployment.orders, `${deployment.base}/opaque`]) {
      const { body } = await exchange({ resource, scope: 'openid' })
      const headers = { authorization: `Bearer ${body.access_token}` }
      await expectAnswer(fetch(`${deployment.issuer}/me`, { headers }), 401)
    }
  })
})
