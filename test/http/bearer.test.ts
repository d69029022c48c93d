import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { at } from '../support/clock.ts'
import { basic, type Deployment, deploy } from '../support/deployment.ts'
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

  it('no credentials: 401 with a challenge and no error code (RFC 6750 §3.1)', async () => {
    const realm = `realm="${deployment.issuer}"`
    const challenge = `Bearer ${realm}, DPoP ${realm}, algs="ES256 Ed25519 EdDSA"`
    for (const [query, headers] of [
      ['', {}],
      ['', basic('backend', 'backend-secret')],
      ['', { authorization: 'Digest abc' }],
      ['?access_token=abc', {}],
    ] as const) {
      const response = await fetch(`${deployment.base}/api/subject-tokens${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: '{"userId":"alice"}',
      })
      const told = [response.status, response.headers.get('www-authenticate')]
      expect(told).to.deep.equal([401, challenge])
      expect(await response.json()).to.have.all.keys('error', 'error_description')
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
    await using plain = await deploy({ configuration: { features: { dPoP: { enabled: false } } } })
    const token = await plain.m2mToken()
    const headers = { authorization: `DPoP ${token}` }
    const answer = await plain.issue({ userId: 'alice' }, { token, headers })
    const told = [answer.status, answer.headers.get('www-authenticate')]
    expect(told).to.deep.equal([401, `Bearer realm="${plain.issuer}"`])
  })

  it('remembers a JWT by all of its value, and until the second of its exp', async () => {
    const token = await deployment.m2mToken()
    const { exp = 0 } = decodeJwt(token)
    const statusOf = async (shown: string) =>
      (await deployment.issue({ userId: 'alice' }, { token: shown })).status
    expect(await statusOf(token)).to.equal(201)
    const [header, payload, signature = ''] = token.split('.')
    expect(await statusOf(`${header}.${payload}.${signature.toUpperCase()}`)).to.equal(401)
    expect(await at(exp * 1000 - 1, () => statusOf(token))).to.equal(201)
    expect(await at(exp * 1000, () => statusOf(token))).to.equal(401)
  })
})

describe('opaque machine-to-machine tokens', () => {
  const resource = 'https://id.example.com/api'
  const elsewhere = 'https://elsewhere.example'
  let deployment: Deployment
  before(async () => {
    deployment = await deploy({
      impersonation: { managementApi: { resource, tokenFormat: 'opaque' } },
      resources: { [elsewhere]: { scope: 'impersonate', accessTokenFormat: 'opaque' } },
    })
  })
  after(() => deployment.close())
  const issue = async (token: string) => {
    expect(token).to.not.include('.')
    const { status, body } = await deployment.issue({ userId: 'alice' }, { token })
    return [status, body.error]
  }

  it('are accepted, until revoked', async () => {
    const token = await deployment.m2mToken({ resource })
    expect(await issue(token)).to.deep.equal([201, undefined])
    const headers = basic('backend', 'backend-secret')
    await deployment.post('/oidc/token/revocation', { token }, headers)
    expect(await issue(token)).to.deep.equal([401, 'invalid_token'])
  })

  it("a user's opaque token is refused, and one for another audience", async () => {
    const { access_token } = await signIn(deployment, 'olivia')
    for (const token of [access_token, await deployment.m2mToken({ resource: elsewhere })]) {
      expect(await issue(token)).to.deep.equal([401, 'invalid_token'])
    }
  })
})
