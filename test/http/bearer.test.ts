import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { resigned } from '../advisories/attacks.ts'
import { at } from '../support/clock.ts'
import { type Deployment, deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'

describe('bearer authentication of the management API', () => {
  let deployment: Deployment
  before(async () => {
    deployment = await deploy({
      configuration: { features: { dPoP: { enabled: true, nonceSecret: Buffer.alloc(32) } } },
    })
  })
  after(() => deployment.close())

  it('accepts a token as the provider issues it, and a scheme in any case', async () => {
    const token = await deployment.m2mToken()
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const headers = { authorization: `${scheme} ${token}` }
      expect((await deployment.issue({ userId: 'alice' }, { token, headers })).status).to.equal(201)
    }
  })

  describe('no credentials: 401 with a challenge and no error code (RFC 6750 §3.1)', () => {
    for (const [what, headers] of Object.entries({
      'no header': {},
      'HTTP Basic': { authorization: `Basic ${btoa('backend:backend-secret')}` },
      'another scheme': { authorization: 'Digest abc' },
      'a token in the query': {},
    })) {
      it(what, async () => {
        const query = what === 'a token in the query' ? '?access_token=abc' : ''
        const response = await fetch(`${deployment.base}/api/subject-tokens${query}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: '{"userId":"alice"}',
        })
        expect(response.status).to.equal(401)
        const realm = `realm="${deployment.issuer}"`
        expect(response.headers.get('www-authenticate')).to.equal(
          `Bearer ${realm}, DPoP ${realm}, algs="ES256 Ed25519 EdDSA"`,
        )
        expect(await response.json()).to.have.all.keys('error', 'error_description')
      })
    }
  })

  it('a good token counts alone, and under its own scheme', async () => {
    const token = await deployment.m2mToken()
    for (const [authorization, hasErrorCode] of [
      [`XBearer ${token}`, false],
      [`Digest Bearer ${token}`, false],
      ['Bearer', true],
      [`Bearer ${token} x`, true],
      [`Bearer ${token},x`, true],
      [`Bearer Bearer ${token}`, true],
      [`Bearer "${token}"`, true],
      ['Bearer \u00e4', true],
    ] as const) {
      const headers = { authorization }
      const answer = await deployment.issue({ userId: 'alice' }, { token, headers })
      expect(answer.status, authorization).to.equal(401)
      const challenge = answer.headers.get('www-authenticate') ?? ''
      expect(challenge.includes('error="invalid_token"'), authorization).to.equal(hasErrorCode)
    }
  })

  it('where DPoP is off, its scheme is one that is not known: no error code', async () => {
    await using plain = await deploy({
      configuration: { features: { dPoP: { enabled: false } } },
    })
    const token = await plain.m2mToken()
    const headers = { authorization: `DPoP ${token}` }
    const answer = await plain.issue({ userId: 'alice' }, { token, headers })
    expect(answer.status).to.equal(401)
    expect(answer.headers.get('www-authenticate')).to.equal(`Bearer realm="${plain.issuer}"`)
  })

  it('403 insufficient_scope, naming the scope', async () => {
    const token = await deployment.m2mToken({ scope: undefined })
    const { status, headers, body } = await deployment.issue({ userId: 'alice' }, { token })
    expect(status).to.equal(403)
    expect(body.error).to.equal('insufficient_scope')
    expect(headers.get('www-authenticate')).to.match(
      /error="insufficient_scope".*scope="impersonate"/,
    )
    const part = await resigned(token, (claims) => ({
      ...claims,
      scope: 'impersonated not-impersonate',
    }))
    expect((await deployment.issue({ userId: 'alice' }, { token: part })).status).to.equal(403)
  })
})

describe('a machine-to-machine JWT', () => {
  it('that was accepted before is refused from the second of its exp on, and not sooner', async () => {
    await using deployment = await deploy()
    const token = await deployment.m2mToken()
    const { exp = 0 } = decodeJwt(token)
    const statusAt = (moment: number) =>
      at(moment, async () => (await deployment.issue({ userId: 'alice' }, { token })).status)
    expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(201)
    expect(await statusAt(exp * 1000 - 1)).to.equal(201)
    expect(await statusAt(exp * 1000)).to.equal(401)
  })

  it('is known again by all of its value: another one of the same client is verified itself', async () => {
    await using deployment = await deploy()
    const token = await deployment.m2mToken()
    expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(201)
    const [header, payload, signature = ''] = token.split('.')
    const forged = `${header}.${payload}.${signature.toUpperCase()}`
    expect((await deployment.issue({ userId: 'alice' }, { token: forged })).status).to.equal(401)
    expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(201)
  })
})

describe('opaque machine-to-machine tokens', () => {
  let deployment: Deployment
  before(async () => {
    const resource = 'https://id.example.com/api'
    deployment = await deploy({
      impersonation: { managementApi: { resource, tokenFormat: 'opaque', tokenTtl: 77 } },
      resources: {
        'https://elsewhere.example': { scope: 'impersonate', accessTokenFormat: 'opaque' },
      },
    })
  })
  after(() => deployment.close())
  const form = { resource: 'https://id.example.com/api' }

  it('are accepted, until revoked', async () => {
    const token = await deployment.m2mToken(form)
    expect(token).to.not.include('.')
    expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(201)
    const { authorization } = { authorization: `Basic ${btoa('backend:backend-secret')}` }
    await deployment.post('/oidc/token/revocation', { token }, { authorization })
    const { status, body } = await deployment.issue({ userId: 'alice' }, { token })
    expect(status).to.equal(401)
    expect(body.error).to.equal('invalid_token')
  })

  it('live as long as managementApi.tokenTtl says', async () => {
    const token = await deployment.m2mToken(form)
    const { body } = await deployment.post(
      '/oidc/token/introspection',
      { token },
      { authorization: `Basic ${btoa('backend:backend-secret')}` },
    )
    expect(body.exp - body.iat).to.equal(77)
    expect(body.aud).to.equal('https://id.example.com/api')
  })

  it("a user's opaque token is refused, and one for another audience", async () => {
    const { access_token } = await signIn(deployment, 'olivia')
    const elsewhere = await deployment.m2mToken({ resource: 'https://elsewhere.example' })
    for (const token of [access_token, elsewhere]) {
      expect(token).to.not.include('.')
      expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(401)
    }
  })
})
