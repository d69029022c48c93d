import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { at } from '../support/clock.ts'
import { basic, deploy } from '../support/deployment.ts'
import { answerOf, expectAnswer } from '../support/http.ts'
import { shared } from '../support/shared.ts'

describe('bearer authentication of the management API', () => {
  const deployment = shared(() =>
    deploy({
      configuration: { features: { dPoP: { enabled: true, nonceSecret: Buffer.alloc(32) } } },
    }),
  )

  // Tokens in a header, and what is none: ../shared/sender-in-two-packages.test.ts.
  it('401 with a challenge, and no error code where there are no credentials (RFC 6750 §3.1)', async () => {
    const token = await deployment.m2mToken()
    const realm = `realm="${deployment.issuer}"`
    const dPoP = `DPoP ${realm}, algs="ES256 Ed25519 EdDSA"`
    const invalid = 'error="invalid_token", error_description="invalid token provided"'
    for (const [authorization, isMalformed, query = ''] of [
      [undefined, false],
      [undefined, false, `?access_token=${token}`],
      [basic('backend', 'backend-secret').authorization, false],
      [`XBearer ${token}`, false],
      ['Bearer', true],
      [`Bearer ${token}, Bearer ${token}`, true],
      ['Bearer \u00e4', true],
    ] as const) {
      const response = await fetch(`${deployment.base}/api/subject-tokens${query}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(authorization === undefined ? {} : { authorization }),
        },
        body: '{"userId":"alice"}',
      })
      const { headers } = await expectAnswer(answerOf(response), 401)
      const challenge = isMalformed ? `Bearer ${realm}, ${invalid}` : `Bearer ${realm}, ${dPoP}`
      expect(headers.get('www-authenticate'), authorization).to.equal(challenge)
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
    const statusOf = async (shown: string) => (await deployment.issueBy(shown)).status
    expect(await statusOf(token)).to.equal(201)
    const [header, payload, signature = ''] = token.split('.')
    expect(await statusOf(`${header}.${payload}.${signature.toUpperCase()}`)).to.equal(401)
    expect(await at(exp * 1000 - 1, () => statusOf(token))).to.equal(201)
    expect(await at(exp * 1000, () => statusOf(token))).to.equal(401)
  })
})

describe('opaque machine-to-machine tokens', () => {
  const elsewhere = 'https://elsewhere.example'
  const deployment = shared(() =>
    deploy({
      impersonation: { managementApi: { tokenFormat: 'opaque' } },
      resources: { [elsewhere]: { scope: 'impersonate', accessTokenFormat: 'opaque' } },
    }),
  )
  const issue = async (token: string) => {
    expect(token).to.not.include('.')
    const { status, body } = await deployment.issueBy(token)
    return [status, body.error]
  }

  it('are accepted, until revoked', async () => {
    const token = await deployment.m2mToken()
    expect(await issue(token)).to.deep.equal([201, undefined])
    const headers = basic('backend', 'backend-secret')
    await deployment.post('/oidc/token/revocation', { token }, headers)
    expect(await issue(token)).to.deep.equal([401, 'invalid_token'])
  })

  it("a user's opaque token is refused, and one for another audience", async () => {
    const access_token = await deployment.actorToken()
    for (const token of [access_token, await deployment.m2mToken({ resource: elsewhere })]) {
      expect(await issue(token)).to.deep.equal([401, 'invalid_token'])
    }
  })
})
