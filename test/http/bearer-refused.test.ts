import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { decodeJwt, importJWK, type JWTPayload, SignJWT } from 'jose'
import { type Deployment, deploy, signingKey } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'

describe('what is no bearer token for the management API', () => {
  let deployment: Deployment
  before(async () => {
    deployment = await deploy({
      configuration: { features: { dPoP: { enabled: true, nonceSecret: Buffer.alloc(32) } } },
    })
  })
  after(() => deployment.close())

  async function forge(
    change: (claims: JWTPayload) => JWTPayload,
    header: Record<string, unknown> = {},
    key?: Parameters<SignJWT['sign']>[0],
  ): Promise<string> {
    const claims = decodeJwt(await deployment.m2mToken())
    return new SignJWT(change(claims))
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'test', ...header })
      .sign(key ?? (await importJWK(signingKey)))
  }

  async function expectInvalidToken(token: string): Promise<void> {
    const { status, headers, body } = await deployment.issue({ userId: 'alice' }, { token })
    expect(status).to.equal(401)
    expect(headers.get('www-authenticate')).to.match(/^Bearer realm="[^"]+", error="invalid_token"/)
    expect(body.error).to.equal('invalid_token')
    expect(body).to.have.all.keys('error', 'error_description')
    expect(JSON.stringify([body, ...headers])).to.not.include(token)
  }

  it('accepts one forged by hand with the provider key: the tests below change one thing each', async () => {
    for (const aud of [deployment.management, [deployment.management]]) {
      const token = await forge((claims) => ({ ...claims, aud }))
      expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(201)
    }
  })

  describe('401 invalid_token', () => {
    it('garbage', () => expectInvalidToken('garbage'))
    it('garbage in the shape of a JWT', () => expectInvalidToken('a.b.c'))
    it('expired', async () =>
      expectInvalidToken(
        await forge((claims) => ({ ...claims, exp: Math.floor(Date.now() / 1000) - 1 })),
      ))
    it('without an expiry', async () =>
      expectInvalidToken(await forge(({ exp: _, ...claims }) => claims)))
    it('of another issuer with the same keys', async () =>
      expectInvalidToken(
        await forge((claims) => ({ ...claims, iss: 'https://elsewhere.example' })),
      ))
    it('for another audience', async () =>
      expectInvalidToken(await forge((claims) => ({ ...claims, aud: deployment.orders }))))
    it('for several audiences', async () =>
      expectInvalidToken(
        await forge((claims) => ({ ...claims, aud: [deployment.management, deployment.orders] })),
      ))
    it("a user's token for the management API's audience", async () =>
      expectInvalidToken(await forge((claims) => ({ ...claims, sub: 'alice' }))))
    it('of a client that does not exist', async () =>
      expectInvalidToken(await forge((claims) => ({ ...claims, sub: 'gone', client_id: 'gone' }))))
    it('of a client without the client_credentials grant', async () =>
      expectInvalidToken(
        await forge((claims) => ({ ...claims, sub: 'console', client_id: 'console' })),
      ))
    it('without client_id', async () =>
      expectInvalidToken(await forge(({ client_id: _, ...claims }) => claims)))
    it('I10: sender-constrained by DPoP, presented as a plain bearer token', async () =>
      expectInvalidToken(await forge((claims) => ({ ...claims, cnf: { jkt: 'x' } }))))
    it('I10: sender-constrained by mTLS, presented as a plain bearer token', async () =>
      expectInvalidToken(await forge((claims) => ({ ...claims, cnf: { 'x5t#S256': 'x' } }))))
    it('I10: bound by a confirmation method that is not known', async () =>
      expectInvalidToken(await forge((claims) => ({ ...claims, cnf: { kid: 'x' } }))))
    it('I10: bound by a confirmation that is none, or of the wrong type', async () => {
      const good = 'x'.repeat(43)
      const mixed = [
        { jkt: good, 'x5t#S256': 7 },
        { jkt: good, kid: 'x' },
      ]
      for (const cnf of [null, 'x', 7, [], {}, { jkt: 7 }, ...mixed]) {
        await expectInvalidToken(await forge((claims) => ({ ...claims, cnf })))
      }
    })
    for (const name of ['sub', 'jti', 'client_id', 'aud', 'iat']) {
      it(`with a ${name} of the wrong type`, async () =>
        expectInvalidToken(await forge((claims) => ({ ...claims, [name]: { x: 1 } }))))
    }
    for (const name of ['jti', 'iat', 'aud', 'iss', 'sub']) {
      it(`without ${name}`, async () =>
        expectInvalidToken(await forge(({ [name]: _, ...claims }) => claims)))
    }
    it('typ JWT, as an ID token has it', async () =>
      expectInvalidToken(await forge((claims) => claims, { typ: 'JWT' })))
    it('signed by a foreign key under our kid', async () => {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      await expectInvalidToken(await forge((claims) => claims, {}, privateKey))
    })
    it('alg none', async () => {
      const [, payload] = (await deployment.m2mToken()).split('.')
      const header = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
      await expectInvalidToken(`${header}.${payload}.`)
    })
    it('HS256 with the public key as the secret', async () => {
      const jwks = await (await fetch(`${deployment.issuer}/jwks`)).text()
      const token = await forge((claims) => claims, { alg: 'HS256' }, Buffer.from(jwks))
      await expectInvalidToken(token)
    })
    it('a key embedded in the header', async () => {
      const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const jwk = pair.publicKey.export({ format: 'jwk' })
      await expectInvalidToken(
        await forge((claims) => claims, { jwk, kid: undefined }, pair.privateKey),
      )
    })
    it('an ID token, an opaque user token, a JWT user token, a code, a subject token', async () => {
      const { id_token, access_token, code } = await signIn(deployment, 'olivia')
      const jwt = await signIn(deployment, 'olivia', {
        scope: 'openid orders:read',
        resource: deployment.orders,
      })
      const others = [id_token ?? '', access_token, jwt.access_token, code]
      for (const token of [...others, await deployment.subjectToken()]) {
        await expectInvalidToken(token)
      }
    })
  })

  it('a scope is one of a set: part of its name does not do', async () => {
    const token = await forge((claims) => ({ ...claims, scope: 'impersonated not-impersonate' }))
    expect((await deployment.issue({ userId: 'alice' }, { token })).status).to.equal(403)
  })
})
