import { createPublicKey, type JsonWebKey } from 'node:crypto'
import { expect } from 'chai'
import { decodeJwt } from 'jose'
import { createMemoryAdapter } from '../../src/adapters/memory/index.ts'
import { basic, type Deployment, deploy, signingKey } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'
import {
  ACTOR_REFUSED,
  expectBearerRefused,
  expectExchanged,
  expectRefused,
  issued,
  operatorJwt,
  resigned,
  SUBJECT_REFUSED,
} from './attacks.ts'

/** What is no access token is none as subject, as actor, or as bearer. */
async function expectWorthless(
  deployment: Deployment,
  { actor, m2m }: { actor: string; m2m: string },
): Promise<void> {
  const subject_token = await issued(deployment)
  await expectRefused(deployment, { subject_token: actor }, SUBJECT_REFUSED)
  await expectRefused(deployment, { subject_token, actor_token: actor }, ACTOR_REFUSED)
  await expectBearerRefused(deployment, m2m)
  await expectExchanged(deployment, { subject_token })
}

describe('advisories on Keycloak: issuers, algorithms, actors', () => {
  it('GHSA-7fpj-9hr8-28vh: a logout token is exchanged for nothing', async () => {
    // There, a logout token passed as the token to exchange.
    const deployment = await deploy()
    const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
    const typ = 'logout+jwt'
    // With every claim that an access token has, so that only its type speaks against it.
    const logout = (token: string) => resigned(token, (claims) => ({ ...claims, events }), { typ })
    const actor = await logout(await operatorJwt(deployment))
    await expectWorthless(deployment, { actor, m2m: await logout(await deployment.m2mToken()) })
    await deployment.close()
  })

  it('CVE-2026-1486: an issuer that was disabled is trusted no more', async () => {
    // There, an identity provider that the administrator had disabled could still vouch for users.
    const adapter = createMemoryAdapter()
    const machine = {
      client_id: 'integrator',
      client_secret: 'secret',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    }
    await adapter('Client').upsert('integrator', machine)
    const deployment = await deploy({ configuration: { adapter } })
    const token = await deployment.m2mToken({}, ['integrator', 'secret'])
    const { body } = await deployment.issue({ userId: 'alice' }, { token })
    const subject_token: string = body.subjectToken
    for (const disable of [
      () => adapter('Client').destroy('integrator'),
      () => adapter('Client').upsert('integrator', { ...machine, grant_types: [] }),
    ]) {
      await disable()
      await expectRefused(deployment, { subject_token }, SUBJECT_REFUSED)
      await expectBearerRefused(deployment, token)
    }
    await adapter('Client').upsert('integrator', machine)
    await expectExchanged(deployment, { subject_token })
    await deployment.close()
  })

  describe('CVE-2026-11800', () => {
    // There, the token named the algorithm by which its signature was to be verified.
    it('HS256 with what everybody knows of the key: as JWK, PEM, DER and coordinates', async () => {
      const deployment = await deploy()
      const jwt = await operatorJwt(deployment)
      const m2mToken = await deployment.m2mToken()
      const publicKey = createPublicKey({ key: signingKey as JsonWebKey, format: 'jwk' })
      const { keys } = JSON.parse(await (await fetch(`${deployment.issuer}/jwks`)).text())
      for (const secret of [
        JSON.stringify(keys[0]),
        publicKey.export({ type: 'spki', format: 'pem' }),
        publicKey.export({ type: 'spki', format: 'der' }),
        Buffer.from(String(signingKey.x), 'base64url'),
      ]) {
        const forged = (token: string) =>
          resigned(token, (claims) => claims, { alg: 'HS256' }, Buffer.from(secret))
        await expectWorthless(deployment, {
          actor: await forged(jwt),
          m2m: await forged(m2mToken),
        })
      }
      await deployment.close()
    })

    it('none, in every spelling, with the signature left out or left in', async () => {
      const deployment = await deploy()
      const jwt = await operatorJwt(deployment)
      const m2mToken = await deployment.m2mToken()
      for (const alg of ['none', 'None', 'NONE', '', null]) {
        const header = { alg, typ: 'at+jwt', kid: 'test' }
        const encoded = Buffer.from(JSON.stringify(header)).toString('base64url')
        for (const keep of [true, false]) {
          const forged = (token: string) => {
            const [, payload, signature] = token.split('.')
            return `${encoded}.${payload}.${keep ? signature : ''}`
          }
          await expectWorthless(deployment, { actor: forged(jwt), m2m: forged(m2mToken) })
        }
      }
      await deployment.close()
    })
  })

  describe('issue 52691', () => {
    // There, leaving the actor token out led past `may_act`, and a finished delegation could be
    // exchanged again for a token without `act`.
    it('without the actor token, a token with mayAct is not exchanged', async () => {
      const deployment = await deploy()
      const actor_token = (await signIn(deployment, 'olivia')).access_token
      const subject_token = await issued(deployment, { mayAct: { sub: 'olivia' } })
      await expectRefused(deployment, { subject_token }, SUBJECT_REFUSED)
      const { act } = await expectExchanged(deployment, { subject_token, actor_token })
      expect(act).to.deep.equal({ sub: 'olivia' })
      await deployment.close()
    })

    it('a token that an exchange issued is exchanged no more', async () => {
      const deployment = await deploy()
      const actor_token = (await signIn(deployment, 'olivia')).access_token
      for (const resource of [deployment.orders, `${deployment.base}/opaque`]) {
        const scope = 'openid orders:read'
        const form = { subject_token: await issued(deployment), actor_token, resource, scope }
        const { status, body } = await deployment.exchange(form)
        expect(status).to.equal(200)
        const impersonated: string = body.access_token
        await expectRefused(deployment, { subject_token: impersonated }, SUBJECT_REFUSED)
        const next = { subject_token: await issued(deployment), actor_token: impersonated }
        await expectRefused(deployment, next, ACTOR_REFUSED)
      }
      await deployment.close()
    })
  })

  it('issue 53029: introspection says act as the JWT does', async () => {
    // There, introspection left `act` out, and the resource server could not see who acts.
    const deployment = await deploy()
    const actor_token = (await signIn(deployment, 'olivia')).access_token
    const exchanged = async (resource: string) => {
      const form = { subject_token: await issued(deployment), actor_token, resource }
      return (await deployment.exchange(form)).body.access_token
    }
    const token = await exchanged(`${deployment.base}/opaque`)
    const headers = basic('web', 'web-secret')
    const { body } = await deployment.post('/oidc/token/introspection', { token }, headers)
    expect(body).to.include({ active: true, sub: 'alice' })
    const { act } = decodeJwt(await exchanged(deployment.orders))
    expect(act).to.deep.equal({ sub: 'olivia' })
    expect(body.act).to.deep.equal(act)
    await deployment.close()
  })
})
