import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { errors } from '../../src/index.ts'
import { type DeploymentOptions, deploy } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { customizing, extraTokenClaims } from '../support/own-hooks.ts'

describe("the deployment's own hooks", () => {
  const forUsers = (fail: () => boolean, answer: () => object | undefined): DeploymentOptions =>
    extraTokenClaims((token) =>
      fail() && Reflect.get(token, 'kind') === 'AccessToken' ? answer() : undefined,
    )
  const failing: Array<
    [what: string, status: number, options: (fail: () => boolean) => DeploymentOptions]
  > = [
    [
      'a JWT customizer that refuses',
      400,
      (fail) =>
        customizing(() => {
          if (fail()) throw new errors.AccessDenied('no')
        }),
    ],
    ['extraTokenClaims that answers a Map', 500, (fail) => forUsers(fail, () => new Map())],
    ['extraTokenClaims that answers a bigint', 500, (fail) => forUsers(fail, () => ({ n: 1n }))],
    [
      'a resource server whose algorithm has no key',
      500,
      (fail) => {
        const getResourceServerInfo = () => ({
          scope: 'orders:read',
          accessTokenFormat: 'jwt' as const,
          jwt: { sign: { alg: fail() ? ('RS256' as const) : ('ES256' as const) } },
        })
        const features = { resourceIndicators: { getResourceServerInfo } }
        return { configuration: { features } }
      },
    ],
  ]
  for (const [what, status, options] of failing) {
    it(`I2: ${what}: ${status}, and the subject token stays usable`, async () => {
      let fail = true
      await using deployment = await deploy(options(() => fail))
      const subject_token = await deployment.subjectToken()
      const refused = await expectAnswer(deployment.exchange({ subject_token }), status)
      expect(refused.body).to.not.have.property('access_token')
      fail = false
      await deployment.redeem(subject_token)
    })
  }

  it('claims named constructor or __proto__ are dropped, of a hook and of the deployment', async () => {
    const trap = () => JSON.parse('{"constructor":1,"__proto__":{"x":1},"fine":1}')
    for (const options of [
      { impersonation: { getCustomJwtClaims: trap } },
      { configuration: { extraTokenClaims: trap } },
    ]) {
      await using deployment = await deploy(options)
      const { body } = await deployment.exchange()
      for (const token of [body.access_token, await deployment.m2mToken()]) {
        const json = atob(token.split('.')[1])
        expect(json)
          .to.include('"fine":1')
          .and.not.match(/constructor|__proto__/)
      }
    }
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
    await expectAnswer(deployment.post('/oidc/token', form), 401)
  })
})
