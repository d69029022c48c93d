import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { recording } from '../support/audit.ts'
import { basic, deploy } from '../support/deployment.ts'

const CHANGES = { expiresIn: 31_536_000, scope: 'admin', accountId: 'bob' }

describe("the deployment's functions that get the token, or the account", () => {
  const settings: Array<[what: string, write: (token: object) => void]> = [
    [
      'makes token.jti an accessor',
      (token) => Object.defineProperty(token, 'jti', { get: () => 'forged', set: () => {} }),
    ],
    [
      'makes token.gty and token.exp accessors',
      (token) =>
        Object.defineProperties(token, {
          gty: { enumerable: true, get: () => 'refresh_token', set: () => {} },
          exp: { enumerable: true, get: () => 4e9, set: () => {} },
        }),
    ],
    [
      'writes what the record says',
      (token) => Object.assign(token, { gty: 'refresh_token', exp: 4e9, accountId: 'bob' }),
    ],
  ]
  for (const [what, write] of settings) {
    it(`I3, I8: ttl.AccessToken that ${what}: the token stays marked, short, and the user's`, async () => {
      await using deployment = await deploy({
        configuration: {
          ttl: {
            AccessToken: (_ctx, token) => {
              if (token.gty === TOKEN_EXCHANGE_GRANT_TYPE) write(token)
              return 900
            },
          },
        },
      })
      for (const resource of [deployment.orders, `${deployment.base}/opaque`]) {
        const { body } = await deployment.exchange({
          subject_token: await deployment.subjectToken(),
          scope: 'openid orders:read',
          resource,
        })
        const token = String(body.access_token)
        const introspection = '/oidc/token/introspection'
        const { sub, iat, exp } = token.includes('.')
          ? decodeJwt(token)
          : (await deployment.post(introspection, { token }, basic('web', 'web-secret'))).body
        expect([sub, exp - iat]).to.deep.equal(['alice', 900])
        const laundered = await deployment.exchange({
          subject_token: await deployment.subjectToken('bob'),
          actor_token: token,
        })
        expect(laundered.status).to.equal(400)
      }
    })
  }

  it('I2, I8: extraTokenClaims that changes the token changes nothing', async () => {
    await using deployment = await deploy({
      configuration: {
        extraTokenClaims: (_ctx, token) => {
          if (token.kind === 'AccessToken')
            Object.assign(token, { emit: 'none', kind: Symbol('x'), ...CHANGES })
          return {}
        },
      },
    })
    const told: string[] = []
    deployment.provider.on('access_token.issued', () => told.push('issued'))
    deployment.provider.on('access_token.saved', () => told.push('saved'))
    for (const resource of [deployment.orders, `${deployment.base}/opaque`]) {
      const subject_token = await deployment.subjectToken()
      const { status, body } = await deployment.exchange({ subject_token, resource })
      expect(status).to.equal(200)
      if (resource !== deployment.orders) continue
      const { sub, scope, exp = 0, iat = 0 } = decodeJwt(body.access_token)
      expect([sub, scope, exp - iat]).to.deep.equal(['alice', 'orders:read', 900])
    }
    expect(told).to.deep.equal(['issued', 'saved'])
  })

  it('authorize that changes what it gets: the token is for the user and client of the audit', async () => {
    const { deployment, recorded } = await recording({
      impersonation: {
        async authorize({ stage, account, ctx }) {
          Object.assign(account, { accountId: 'bob' })
          const other = await deployment.provider.Client.find('web')
          if (stage === 'exchange') ctx.oidc.entity('Client', other)
          return true
        },
      },
    })
    const { body } = await deployment.exchange({ subject_token: await deployment.subjectToken() })
    const { sub, client_id } = decodeJwt(body.access_token)
    expect([sub, client_id]).to.deep.equal(['alice', 'console'])
    const started = (await recorded()).find(({ name }) => name === 'impersonation.started')
    expect([started?.userId, started?.client]).to.deep.equal([sub, client_id])
    await deployment.close()
  })
})
