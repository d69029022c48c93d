import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { errors } from '../../src/index.ts'
import { basic, type DeploymentOptions, deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'

describe("the deployment's own hooks", () => {
  it('I4: extraTokenClaims with an inherited prototype neither skips the hook nor forges act', async () => {
    const inherited = Object.assign(Object.create({ deployment: 'eu' }), { act: { sub: 'forged' } })
    await using deployment = await deploy({
      configuration: { extraTokenClaims: () => inherited },
      impersonation: { getCustomJwtClaims: () => ({ hook: true }) },
    })
    const { access_token } = await signIn(deployment, 'olivia')
    for (const resource of [deployment.orders, `${deployment.base}/opaque`]) {
      const { body } = await deployment.exchange({
        subject_token: await deployment.subjectToken(),
        actor_token: access_token,
        resource,
      })
      const claims = body.access_token.includes('.')
        ? decodeJwt(body.access_token)
        : (
            await deployment.post(
              '/oidc/token/introspection',
              { token: body.access_token },
              basic('web', 'web-secret'),
            )
          ).body
      expect(claims).to.deep.include({ act: { sub: 'olivia' }, hook: true })
    }
  })

  it('I4: accessors and toJSON in claims and customised payloads cannot bring act back', async () => {
    const trick = { toJSON: () => ({ sub: 'bob', act: { sub: 'forged' } }) }
    await using deployment = await deploy({
      configuration: {
        extraTokenClaims: () => trick,
        formats: {
          customizers: {
            jwt: (_ctx, _token, { payload }) => {
              Object.defineProperty(payload, 'act', {
                enumerable: true,
                configurable: true,
                get: () => ({ sub: 'forged' }),
                set: () => {},
              })
            },
          },
        },
      },
    })
    const { body } = await deployment.exchange({ subject_token: await deployment.subjectToken() })
    expect(decodeJwt(body.access_token)).to.include({ sub: 'alice' })
    expect(decodeJwt(body.access_token)).to.not.have.property('act')
  })

  const failing: Array<
    [what: string, status: number, options: (fail: () => boolean) => DeploymentOptions]
  > = [
    [
      'a JWT customizer that refuses',
      400,
      (fail) => ({
        configuration: {
          formats: {
            customizers: {
              jwt(_ctx, token) {
                if (fail() && token.kind === 'AccessToken') throw new errors.AccessDenied('no')
              },
            },
          },
        },
      }),
    ],
    [
      'extraTokenClaims that answers a Map',
      500,
      (fail) => ({
        configuration: {
          extraTokenClaims: (_ctx, token) =>
            fail() && token.kind === 'AccessToken' ? (new Map() as never) : undefined,
        },
      }),
    ],
    [
      'extraTokenClaims that answers a bigint',
      500,
      (fail) => ({
        configuration: {
          extraTokenClaims: (_ctx, token) =>
            fail() && token.kind === 'AccessToken' ? { n: 1n } : undefined,
        },
      }),
    ],
    [
      'a resource server whose algorithm has no key',
      500,
      (fail) => ({
        configuration: {
          features: {
            resourceIndicators: {
              getResourceServerInfo: () => ({
                scope: 'orders:read',
                accessTokenFormat: 'jwt',
                jwt: { sign: { alg: fail() ? 'RS256' : 'ES256' } },
              }),
            },
          },
        },
      }),
    ],
  ]
  for (const [what, status, options] of failing) {
    it(`I2: ${what}: ${status}, and the subject token stays usable`, async () => {
      let fail = true
      await using deployment = await deploy(options(() => fail))
      const subject_token = await deployment.subjectToken()
      const refused = await deployment.exchange({ subject_token })
      expect(refused.status).to.equal(status)
      expect(refused.body).to.not.have.property('access_token')
      fail = false
      expect((await deployment.exchange({ subject_token })).status).to.equal(200)
    })
  }

  it('claims named constructor or __proto__ are dropped', async () => {
    await using deployment = await deploy({
      impersonation: {
        getCustomJwtClaims: () => JSON.parse('{"constructor":1,"__proto__":{"x":1},"fine":1}'),
      },
    })
    const { status, body } = await deployment.exchange({
      subject_token: await deployment.subjectToken(),
    })
    expect(status).to.equal(200)
    const [, payload = ''] = body.access_token.split('.')
    const json = Buffer.from(payload, 'base64url').toString()
    expect(json).to.include('"fine":1').and.not.include('constructor').and.not.include('__proto__')
  })

  it('the hook cannot change the client, and does not see its secret', async () => {
    await using deployment = await deploy({
      impersonation: {
        getCustomJwtClaims({ context }) {
          expect(JSON.stringify(context.client?.metadata)).to.not.include('secret"')
          expect(() => Object.assign(context.client ?? {}, { clientId: 'x' })).to.throw(TypeError)
          Object.assign(context.client?.metadata ?? {}, { token_endpoint_auth_method: 'none' })
          return { grants: context.client?.metadata.grant_types?.length }
        },
      },
    })
    expect(decodeJwt(await deployment.m2mToken()).grants).to.equal(1)
    const form = { grant_type: 'client_credentials', client_id: 'backend' }
    expect((await deployment.post('/oidc/token', form)).status).to.equal(401)
  })
})
