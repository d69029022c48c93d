// What marks an impersonated token is the provider's word (I3, I4): no hook, customizer or late
// write of the deployment reaches it.
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { denyImpersonation, resourceServer } from '../../packages/resource-server/src/index.ts'
import { recording } from '../support/audit.ts'
import { type DeploymentOptions, deploy } from '../support/deployment.ts'
import {
  claimsOf,
  customizing,
  extraTokenClaims,
  impersonated,
  MARKED_JTI,
} from '../support/own-hooks.ts'
import { signIn } from '../support/sign-in.ts'

describe('I3, I4: what marks an impersonated token', () => {
  const rewriting: Array<[who: string, options: DeploymentOptions]> = [
    [
      'extraTokenClaims that assigns token.jti, its life, scope and user',
      extraTokenClaims((token) => {
        const rewritten = { jti: 'other', expiresIn: 31536000, scope: 'admin', accountId: 'bob' }
        Object.assign(token, rewritten)
        return { region: 'eu' }
      }),
    ],
    [
      'extraTokenClaims that makes token.jti an accessor',
      extraTokenClaims((token) => {
        Object.defineProperty(token, 'jti', { get: () => 'other', set: () => {} })
        return undefined
      }),
    ],
    [
      'a JWT customizer that assigns token.jti and payload.jti',
      customizing((_ctx, token, jwt) => {
        Object.assign(token, { jti: 'other' })
        Object.assign(jwt.payload, { jti: 'other' })
      }),
    ],
    [
      'a JWT customizer that drops payload.jti',
      customizing((_ctx, _token, jwt) => {
        jwt.payload = Object.fromEntries(
          Object.entries(jwt.payload).filter(([name]) => name !== 'jti'),
        )
      }),
    ],
  ]
  for (const [who, options] of rewriting) {
    it(`${who}: the jti stays, denyImpersonation refuses, and it is no actor token`, async () => {
      const { deployment, recorded } = await recording(options)
      const { token, claims } = await impersonated(deployment, { scope: 'openid orders:read' })
      expect(claims.jti).to.match(MARKED_JTI)
      expect(claims).to.include({ sub: 'alice', scope: 'openid orders:read' })
      expect(Number(claims.exp) - Number(claims.iat)).to.equal(900)
      const { issuer, orders: audience } = deployment
      const refused = await resourceServer({ issuer, audience })
        .authenticate(`Bearer ${token}`, denyImpersonation())
        .catch((error) => error.status)
      expect(refused).to.equal(403)
      const laundered = await deployment.exchange({
        subject_token: await deployment.subjectToken('bob'),
        actor_token: token,
      })
      expect([laundered.status, laundered.body.error_description]).to.deep.equal([
        400,
        'actor token is invalid',
      ])
      const started = (await recorded()).find(({ name }) => name === 'impersonation.started')
      expect(started?.jti).to.equal(claims.jti)
      await deployment.close()
    })
  }

  it('extraTokenClaims that rewrites an opaque token: stored as the provider made it', async () => {
    const { deployment, recorded } = await recording(
      extraTokenClaims((token) => {
        Object.assign(token, { jti: 'other', gty: 'authorization_code', expiresIn: 86400 * 365 })
        const unmark = async () => {
          for (let count = 0; count < 50; count += 1) {
            await Promise.resolve()
            const extra = Object('extra' in token ? token.extra : undefined)
            delete extra.impersonation_id
            extra.act = { sub: 'forged' }
          }
        }
        void unmark()
        return { region: 'eu' }
      }),
    )
    const { token, claims } = await impersonated(deployment, {
      resource: `${deployment.base}/opaque`,
      scope: 'openid orders:read',
    })
    const started = (await recorded()).find(({ name }) => name === 'impersonation.started')
    expect(token).to.not.equal('other')
    expect(claims).to.include({ active: true, impersonation_id: started?.id, region: 'eu' })
    expect(claims).to.not.have.property('act')
    expect(Number(claims.exp) - Number(claims.iat)).to.be.at.most(3600)
    const laundered = await deployment.exchange({
      subject_token: await deployment.subjectToken('bob'),
      actor_token: token,
    })
    expect(laundered.status).to.equal(400)
    await deployment.close()
  })

  it('an opaque token exchanged without an actor: introspection says impersonation_id', async () => {
    const { deployment, recorded } = await recording({})
    const resource = `${deployment.base}/opaque`
    const { claims } = await impersonated(deployment, { resource })
    const [issued] = await recorded()
    expect(claims.impersonation_id).to.be.a('string').that.equals(issued?.id)
    const own = await signIn(deployment, 'alice', { resource, scope: 'openid orders:read' })
    expect(await claimsOf(deployment, own.access_token)).to.not.have.property('impersonation_id')
    await deployment.close()
  })

  it('status and impersonation_id are the provider’s in impersonated tokens, and nowhere else', async () => {
    const forged = { status: { status_list: { idx: 0, uri: 'x' } }, impersonation_id: 'forged' }
    await using deployment = await deploy({
      configuration: {
        extraTokenClaims: () => forged,
        formats: {
          customizers: {
            jwt: (_ctx, _token, jwt) => {
              Object.assign(jwt.payload, forged)
            },
          },
        },
      },
      impersonation: { getCustomJwtClaims: () => forged },
    })
    const jwt = await impersonated(deployment)
    expect(jwt.claims).to.not.have.property('impersonation_id')
    expect(Object(jwt.claims.status).status_list.uri).to.match(/\/oidc\/status-lists\/[\w-]{22}$/)
    const opaque = await impersonated(deployment, { resource: `${deployment.base}/opaque` })
    expect(opaque.claims).to.not.have.property('status')
    expect(opaque.claims.impersonation_id).to.not.equal('forged')
    // I12: another grant's token keeps what the deployment says.
    const own = await signIn(deployment, 'alice', {
      resource: deployment.orders,
      scope: 'openid orders:read',
    })
    expect(decodeJwt(own.access_token)).to.deep.include(forged)
  })
})
