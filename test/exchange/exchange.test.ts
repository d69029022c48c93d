import { expect } from 'chai'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { type Answer, basic, type Deployment, deploy, type Form } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'

describe('token exchange', () => {
  let deployment: Deployment
  before(async () => {
    deployment = await deploy({
      impersonation: { accessToken: { maxTtl: 1800 } },
      configuration: { scopes: ['openid', 'offline_access', 'orders:write'] },
      clients: [
        {
          client_id: 'narrow',
          token_endpoint_auth_method: 'none',
          scope: 'openid',
          redirect_uris: ['https://app.example.com/callback'],
          grant_types: ['authorization_code', TOKEN_EXCHANGE_GRANT_TYPE],
        },
      ],
      resources: {
        'https://long.example': { scope: 'read', accessTokenFormat: 'jwt', accessTokenTTL: 7200 },
        'https://audience.example': {
          scope: 'read',
          audience: 'logical',
          accessTokenFormat: 'jwt',
        },
      },
    })
  })
  after(() => deployment.close())

  async function exchange(form: Form = {}, headers?: Record<string, string>): Promise<Answer> {
    return deployment.exchange({ subject_token: await deployment.subjectToken(), ...form }, headers)
  }

  async function claimsOf(token: string) {
    const keys = createRemoteJWKSet(new URL(`${deployment.issuer}/jwks`))
    return jwtVerify(token, keys, { typ: 'at+jwt', issuer: deployment.issuer })
  }

  describe('success', () => {
    it('answers 200 with exactly the members of the contract, and never a refresh or ID token', async () => {
      const { status, headers, body } = await exchange({
        scope: 'openid offline_access orders:read',
      })
      expect(status).to.equal(200)
      expect(headers.get('cache-control')).to.equal('no-store')
      expect(body).to.have.all.keys(
        'access_token',
        'issued_token_type',
        'token_type',
        'expires_in',
        'scope',
      )
      expect(body).to.include({
        issued_token_type: ACCESS_TOKEN_TYPE,
        token_type: 'Bearer',
        expires_in: 900,
        scope: 'openid orders:read',
      })
    })

    it('the access token is a JWT of the user for the resource, signed by the provider', async () => {
      const { payload } = await claimsOf((await exchange()).body.access_token)
      expect(payload).to.have.all.keys(
        'sub',
        'aud',
        'iss',
        'iat',
        'exp',
        'jti',
        'client_id',
        'scope',
        'status',
      )
      expect(payload).to.include({
        sub: 'alice',
        aud: deployment.orders,
        iss: deployment.issuer,
        client_id: 'console',
        scope: 'orders:read',
      })
      expect((payload.exp ?? 0) - (payload.iat ?? 0)).to.equal(900)
    })

    it('with an actor token it carries act, naming the operator', async () => {
      const { access_token } = await signIn(deployment, 'olivia')
      const { payload } = await claimsOf(
        (await exchange({ actor_token: access_token })).body.access_token,
      )
      expect(payload.act).to.deep.equal({ sub: 'olivia' })
      expect(payload.sub).to.equal('alice')
    })

    it('a confidential client authenticates by HTTP Basic', async () => {
      expect((await exchange({}, basic('web', 'web-secret'))).status).to.equal(200)
    })

    it('scope is what was asked for, narrowed to what the resource server allows', async () => {
      const { body } = await exchange({ scope: 'orders:read orders:delete openid' })
      expect(body.scope.split(' ').sort()).to.deep.equal(['openid', 'orders:read'])
    })

    it('and to what the client allows', async () => {
      const form = { client_id: 'narrow', scope: 'orders:read orders:write openid' }
      const { status, body } = await exchange(form)
      expect(status).to.equal(200)
      expect(body.scope.split(' ').sort()).to.deep.equal(['openid', 'orders:read'])
    })

    it('no scope asked for, no scope granted', async () => {
      const { status, body } = await exchange({ scope: undefined })
      expect(status).to.equal(200)
      expect(body).to.not.have.property('scope')
      expect((await claimsOf(body.access_token)).payload).to.not.have.property('scope')
    })

    it('audience may repeat the resource, or its audience', async () => {
      expect((await exchange({ audience: deployment.orders })).status).to.equal(200)
      const form = { resource: 'https://audience.example', audience: 'logical', scope: 'read' }
      const { status, body } = await exchange(form)
      expect(status).to.equal(200)
      expect((await claimsOf(body.access_token)).payload.aud).to.equal('logical')
    })

    it('requested_token_type may say access token', async () => {
      expect((await exchange({ requested_token_type: ACCESS_TOKEN_TYPE })).status).to.equal(200)
    })

    it("I8: the lifetime is the resource server's, capped by accessToken.maxTtl", async () => {
      const { body } = await exchange({ resource: 'https://long.example', scope: 'read' })
      expect(body.expires_in).to.equal(1800)
      const { exp = 0, iat = 0 } = (await claimsOf(body.access_token)).payload
      expect(exp - iat).to.equal(1800)
    })

    it('the format is the resource server’s: opaque tokens are introspected with act', async () => {
      const { access_token } = await signIn(deployment, 'olivia')
      const resource = `${deployment.base}/opaque`
      const { body } = await exchange({ resource, actor_token: access_token })
      expect(body.access_token).to.not.include('.')
      const introspection = await deployment.post(
        '/oidc/token/introspection',
        { token: body.access_token },
        basic('web', 'web-secret'),
      )
      expect(introspection.body).to.deep.include({
        active: true,
        sub: 'alice',
        aud: resource,
        act: { sub: 'olivia' },
        client_id: 'console',
      })
    })
  })

  describe('client authentication is the provider’s own', () => {
    it('401 invalid_client for a confidential client without its secret', async () => {
      const { status, body } = await exchange({ client_id: 'web' })
      expect(status).to.equal(401)
      expect(body.error).to.equal('invalid_client')
    })
    it('401 invalid_client for a wrong secret and an unknown client', async () => {
      expect((await exchange({}, basic('web', 'wrong'))).status).to.equal(401)
      expect((await exchange({ client_id: 'unknown' })).body.error).to.equal('invalid_client')
    })
    it('400 for a client that does not list the grant type', async () => {
      const { status, body } = await exchange({ client_id: 'plain' })
      expect(status).to.equal(400)
      expect(body.error).to.equal('invalid_request')
    })
  })

  it('discovery lists the grant type', async () => {
    const discovery = await fetch(`${deployment.issuer}/.well-known/openid-configuration`)
    // biome-ignore lint/suspicious/noExplicitAny: a discovery document, read once.
    const { grant_types_supported }: any = await discovery.json()
    expect(grant_types_supported).to.include(TOKEN_EXCHANGE_GRANT_TYPE)
  })
})
