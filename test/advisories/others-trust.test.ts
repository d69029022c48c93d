import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory/index.ts'
import { basic, deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'
import {
  ACTOR_REFUSED,
  atTime,
  expectBearerRefused,
  expectExchanged,
  expectRefused,
  issued,
  operatorJwt,
  resigned,
  SUBJECT_REFUSED,
} from './attacks.ts'

const resource = 'https://id.example/api'
const opaqueM2m = { managementApi: { resource, tokenFormat: 'opaque' as const } }

describe('advisories on Casdoor, authentik, better-auth, Logto: what is still trusted', () => {
  it('CVE-2026-9097 (Casdoor): revoked tokens are accepted nowhere', async () => {
    // There, a token that had been revoked could still be exchanged.
    const deployment = await deploy({ impersonation: opaqueM2m })
    const m2m = await deployment.m2mToken({ resource })
    const issue = async () => {
      const { body } = await deployment.issue({ userId: 'alice' }, { token: m2m })
      return String(body.subjectToken)
    }
    const saved: Array<{ destroy(): Promise<void> }> = []
    deployment.provider.on('subject_token.saved', (token) => saved.push(token as never))
    const [destroyed, subject_token] = [await issue(), await issue()]
    await saved[0]?.destroy()
    await expectRefused(deployment, { subject_token: destroyed }, SUBJECT_REFUSED)
    const opaque = (await signIn(deployment, 'olivia')).access_token
    const grants: Array<{ destroy(): Promise<void> }> = []
    deployment.provider.on('grant.saved', (grant) => grants.push(grant))
    const jwt = await operatorJwt(deployment)
    for (const actor_token of [opaque, jwt]) {
      await expectExchanged(deployment, { subject_token: await issue(), actor_token })
    }

    const revoke = '/oidc/token/revocation'
    await deployment.post(revoke, { token: opaque, client_id: 'console' })
    for (const grant of grants) await grant.destroy()
    for (const actor_token of [opaque, jwt]) {
      await expectRefused(deployment, { subject_token, actor_token }, ACTOR_REFUSED)
    }
    await deployment.post(revoke, { token: m2m }, basic('backend', 'backend-secret'))
    await expectBearerRefused(deployment, m2m)
    await expectExchanged(deployment, { subject_token })
    await deployment.close()
  })

  it('CVE-2026-9094 (Casdoor): a token of another provider is worth nothing, same keys, same store', async () => {
    // There, a token of one organisation was exchanged at another.
    const adapter = createMemoryAdapter()
    const one = await deploy({ configuration: { adapter } })
    const other = await deploy({ configuration: { adapter } })
    const subject_token = await issued(one)
    await expectRefused(other, { subject_token }, SUBJECT_REFUSED)
    // Its audience is made the right one, so that only the issuer speaks against it.
    const m2m = await one.m2mToken()
    const aud = other.management
    await expectBearerRefused(other, await resigned(m2m, (claims) => ({ ...claims, aud })))
    const actor = { subject_token: await issued(other), actor_token: await operatorJwt(one) }
    await expectRefused(other, actor, ACTOR_REFUSED)
    await expectExchanged(one, { subject_token })
    await Promise.all([one.close(), other.close()])
  })

  it('CVE-2025-64521 (authentik): an account that is gone is impersonated no more, and acts no more', async () => {
    // There, a deactivated account was still trusted.
    const deployment = await deploy()
    const actors = [(await signIn(deployment, 'olivia')).access_token]
    actors.push(await operatorJwt(deployment))
    const subject_token = await issued(deployment)
    deployment.accounts.delete('olivia')
    for (const actor_token of actors) {
      await expectRefused(deployment, { subject_token, actor_token }, ACTOR_REFUSED)
    }
    deployment.accounts.delete('alice')
    await expectRefused(deployment, { subject_token }, SUBJECT_REFUSED)
    const { status, body } = await deployment.issue({ userId: 'alice' })
    expect([status, body.error]).to.deep.equal([404, 'user_not_found'])
    deployment.accounts.add('alice')
    await expectExchanged(deployment, { subject_token })
    await deployment.close()
  })

  it('CVE-2025-64708 (authentik): expiry is not left to the clean-up of the store', async () => {
    // There, an expired invitation was good until a background task had removed it.
    const adapter = createMemoryAdapter({ now: () => 0 })
    // Nor does a tolerance for other people's clocks lengthen anything here.
    const deployment = await deploy({
      impersonation: opaqueM2m,
      configuration: {
        adapter,
        clockTolerance: 300,
        ttl: { AccessToken: 600, IdToken: 600, Grant: 7200, Interaction: 600, Session: 7200 },
      },
    })
    const token = await deployment.m2mToken({ resource })
    const { body } = await deployment.issue({ userId: 'alice', expiresIn: 60 }, { token })
    const subject_token = body.subjectToken
    const actor_token = (await signIn(deployment, 'olivia')).access_token
    await atTime(60_000, () => expectRefused(deployment, { subject_token }, SUBJECT_REFUSED))
    await atTime(600_000, async () => {
      await expectBearerRefused(deployment, token)
      const bearer = await deployment.m2mToken({ resource })
      const later = await deployment.issue({ userId: 'alice' }, { token: bearer })
      const form = { subject_token: later.body.subjectToken }
      await expectRefused(deployment, { ...form, actor_token }, ACTOR_REFUSED)
      await expectExchanged(deployment, form)
    })
    await expectExchanged(deployment, { subject_token })
    await deployment.close()
  })

  it('CVE-2025-61928 (better-auth): the user named in the body identifies nobody', async () => {
    // There, a request without a session was taken to come from the user named in its body.
    const deployment = await deploy()
    const url = `${deployment.base}/api/subject-tokens`
    const headers = { 'content-type': 'application/json' }
    for (const body of [
      { userId: 'alice' },
      { userId: 'alice', mayAct: { sub: 'olivia', clientId: 'console' } },
    ]) {
      const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
      expect(response.status).to.equal(401)
      expect(await response.json()).to.not.have.property('subjectToken')
    }
    for (const { access_token } of [
      await signIn(deployment, 'alice'),
      await signIn(deployment, 'olivia'),
    ]) {
      await expectBearerRefused(deployment, access_token)
    }
    await deployment.close()
  })

  describe('CVE-2026-63203 (GHSA-6g9q-qrx7-3jxf, Logto)', () => {
    // There, a scope was not checked.
    it('a machine without the scope issues nothing', async () => {
      const deployment = await deploy()
      const m2m = await deployment.m2mToken()
      for (const scope of [undefined, '', 'impersonated', 'IMPERSONATE', 'openid']) {
        const token = await resigned(m2m, (claims) => ({ ...claims, scope }))
        const { status, body } = await deployment.issue({ userId: 'alice' }, { token })
        expect([status, body.error]).to.deep.equal([403, 'insufficient_scope'])
        expect(body).to.not.have.property('subjectToken')
      }
      await deployment.close()
    })

    it('an exchange gives no scope that the resource does not have', async () => {
      const deployment = await deploy()
      const subject_token = await issued(deployment)
      const scope = 'openid offline_access orders:read orders:admin impersonate'
      const form = { subject_token, scope }
      expect((await expectExchanged(deployment, form)).scope).to.equal('openid orders:read')
      await deployment.close()
    })
  })
})
