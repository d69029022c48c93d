import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import type { Configuration } from 'oidc-provider'
import { deploy } from '../support/deployment.ts'
import { apiToken } from '../support/jwts.ts'
import {
  type Customizer,
  claimsOf,
  customizing,
  extraTokenClaims,
  impersonated,
} from '../support/own-hooks.ts'

// Changes to an impersonated token, or to act, that neither a customizer nor another function can make:
// access-token-claims.test.ts.
describe('a JWT customizer', () => {
  it('gives no other token the jti that marks an impersonated one: there the provider has its own', async () => {
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
      expect(decodeJwt(await apiToken(deployment)).jti)
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

  it('nor can extraTokenClaims, late, set auth_time, where maxAge relies on it', async () => {
    await using deployment = await deploy({
      ...extraTokenClaims((token) => {
        const later = async () => {
          for (let count = 0; count < 50; count += 1) {
            await Promise.resolve()
            const extra = Object('extra' in token ? token.extra : undefined)
            Object.assign(extra, { auth_time: 4e9, late: true })
          }
        }
        void later()
        return undefined
      }),
      impersonation: { actorToken: { maxAge: 60 } },
    })
    const resource = `${deployment.base}/opaque`
    const claims = await claimsOf(deployment, await apiToken(deployment, 'alice', { resource }))
    expect(claims).to.include({ sub: 'alice' }).and.not.have.property('late')
    expect(claims.auth_time).to.be.below(4e9)
  })

  it('is waited for, and a jti of the deployment without the mark stays', async () => {
    await using deployment = await deploy(
      customizing(async (_ctx, _token, jwt) => {
        await turn()
        Object.assign(jwt.payload, { jti: 'eu-1', region: 'eu' })
      }),
    )
    expect(decodeJwt(await apiToken(deployment))).to.include({ jti: 'eu-1', region: 'eu' })
    expect((await impersonated(deployment)).claims.region).to.equal('eu')
  })

  it('I8: makes no impersonated token live longer; shorter is fine', async () => {
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
