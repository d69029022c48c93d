import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import type { Configuration } from 'oidc-provider'
import { deploy } from '../support/deployment.ts'
import {
  type Customizer,
  claimsOf,
  customizing,
  extraTokenClaims,
  impersonated,
  MARKED_JTI,
} from '../support/own-hooks.ts'
import { signIn } from '../support/sign-in.ts'

describe('I4: a JWT customizer cannot forge act', () => {
  const forged = { sub: 'forged' }
  const tricks: Array<[what: string, customize: Customizer]> = [
    [
      'an accessor on jwt.payload',
      (_ctx, _token, jwt) => {
        const { payload } = jwt
        Object.defineProperty(jwt, 'payload', {
          configurable: true,
          get: () => ({ ...payload, act: forged }),
          set: () => {},
        })
      },
    ],
    [
      'writing to jwt.payload in later microtasks and turns',
      (_ctx, _token, jwt) => {
        const write = () => Object.assign(jwt.payload, { act: forged, jti: 'x', status: 1 })
        const later = async () => {
          for (let count = 0; count < 200; count += 1) {
            await Promise.resolve()
            write()
          }
        }
        void later()
        setImmediate(write)
        process.nextTick(write)
      },
    ],
    [
      'assigning jwt.payload in later microtasks',
      (_ctx, _token, jwt) => {
        const { payload } = jwt
        const later = async () => {
          for (let count = 0; count < 200; count += 1) {
            await Promise.resolve()
            jwt.payload = { ...payload, act: forged }
          }
        }
        void later()
      },
    ],
    [
      'making jwt.payload an accessor for good',
      (_ctx, _token, jwt) => {
        const { payload } = jwt
        Object.defineProperty(jwt, 'payload', {
          configurable: false,
          get: () => ({ ...payload, act: forged }),
          set: () => {},
        })
      },
    ],
    [
      'freezing jwt with a forged payload',
      (_ctx, _token, jwt) => {
        jwt.payload = { ...jwt.payload, act: forged, jti: 'x', status: 1 }
        Object.freeze(jwt)
      },
    ],
    [
      'a hidden toJSON in the payload, after a turn',
      async (_ctx, _token, { payload }) => {
        await turn()
        Object.defineProperty(payload, 'toJSON', {
          value: () => ({ ...payload, act: forged, jti: 'x', status: 1 }),
        })
      },
    ],
  ]
  for (const [what, customize] of tricks) {
    it(`by ${what}: neither for an impersonated token nor for a user's own`, async () => {
      await using deployment = await deploy(customizing(customize))
      const options = { resource: deployment.orders, scope: 'openid orders:read' }
      const own = decodeJwt((await signIn(deployment, 'alice', options)).access_token)
      expect(own).to.include({ sub: 'alice' }).and.not.have.property('act')
      const { claims } = await impersonated(deployment)
      expect(claims).to.not.have.property('act')
      expect(claims.status).to.have.all.keys('status_list')
      expect(claims.jti).to.match(MARKED_JTI)
      const actor_token = (await signIn(deployment, 'olivia')).access_token
      expect((await impersonated(deployment, { actor_token })).claims.act).to.deep.equal({
        sub: 'olivia',
      })
    })
  }

  it('nor the jti that marks an impersonated token: there the provider has its own', async () => {
    const forgedJti = `impersonation:${'x'.repeat(43)}`
    const tricks: Customizer[] = [
      (_ctx, _token, jwt) => Object.assign(jwt.payload, { jti: forgedJti }),
      (_ctx, token, jwt) => {
        Object.assign(token, { jti: forgedJti })
        jwt.payload = { ...jwt.payload, jti: forgedJti }
      },
    ]
    const own: unknown[] = []
    for (const trick of tricks) {
      await using deployment = await deploy(
        customizing((ctx, token, jwt) => {
          own.push(jwt.payload.jti)
          trick(ctx, token, jwt)
        }),
      )
      const options = { resource: deployment.orders, scope: 'openid orders:read' }
      const { access_token } = await signIn(deployment, 'alice', options)
      expect(decodeJwt(access_token).jti)
        .to.equal(own.at(-1))
        .and.not.match(/^impersonation:/)
    }
    // A grant type of the deployment may give the token any jti.
    await using deployment = await deploy()
    const { provider, orders } = deployment
    const client = await provider.Client.find('backend')
    const info = { scope: 'x', accessTokenFormat: 'jwt', audience: orders }
    const token = Object.assign(new provider.ClientCredentials({ client } as never), {
      resourceServer: new provider.ResourceServer(orders, info as never),
      jti: forgedJti,
      format: 'jwt',
    })
    const machine = await token.save()
    expect(decodeJwt(machine).jti).to.match(/^[A-Za-z0-9_-]{43}$/)
  })

  for (const own of [{ region: 'eu' }, undefined]) {
    it(`nor can extraTokenClaims that answers ${JSON.stringify(own)}, late, in an opaque token of the user; nor auth_time, where maxAge relies on it`, async () => {
      await using deployment = await deploy({
        ...extraTokenClaims((token) => {
          const later = async () => {
            for (let count = 0; count < 50; count += 1) {
              await Promise.resolve()
              const extra = Object('extra' in token ? token.extra : undefined)
              const claims = { act: forged, auth_time: 4e9, late: true }
              Object.assign(extra, claims, { toJSON: () => ({ ...own, ...claims }) })
            }
          }
          void later()
          return own
        }),
        impersonation: { actorToken: { maxAge: 60 } },
      })
      const { access_token } = await signIn(deployment, 'alice', {
        resource: `${deployment.base}/opaque`,
        scope: 'openid orders:read',
      })
      const claims = await claimsOf(deployment, access_token)
      expect(claims)
        .to.include({ sub: 'alice', ...own })
        .and.not.have.any.keys('act', 'late')
      expect(claims.auth_time).to.be.below(4e9)
    })
  }

  it('is waited for', async () => {
    await using deployment = await deploy(
      customizing(async (_ctx, _token, jwt) => {
        await turn()
        Object.assign(jwt.payload, { region: 'eu' })
      }),
    )
    expect((await impersonated(deployment)).claims.region).to.equal('eu')
  })

  it('a jti of the deployment without the mark stays', async () => {
    await using deployment = await deploy(
      customizing((_ctx, _token, jwt) => Object.assign(jwt.payload, { jti: 'eu-1' })),
    )
    const options = { resource: deployment.orders, scope: 'openid orders:read' }
    const { access_token } = await signIn(deployment, 'alice', options)
    expect(decodeJwt(access_token).jti).to.equal('eu-1')
  })

  it('I8: nor make an impersonated token live longer; shorter is fine', async () => {
    let exp: Configuration['clientDefaults'] | number | undefined
    await using deployment = await deploy(
      customizing((_ctx, _token, jwt) => {
        if (exp === 0) delete jwt.payload.exp
        else Object.assign(jwt.payload, { exp })
      }),
    )
    const now = () => Math.floor(Date.now() / 1000)
    for (exp of [now() + 86400, 0]) {
      const { claims } = await impersonated(deployment)
      expect(Number(claims.exp) - now()).to.be.within(880, 900)
    }
    exp = now() + 60
    expect((await impersonated(deployment)).claims.exp).to.equal(exp)
  })
})
