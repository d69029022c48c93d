import { expect } from 'chai'
import { deploy } from '../support/deployment.ts'
import { signIn } from '../support/sign-in.ts'
import {
  ACTOR_REFUSED,
  expectBearerRefused,
  expectExchanged,
  expectRefused,
  issued,
  operatorJwt,
  SUBJECT_REFUSED,
  WEB,
} from './attacks.ts'

describe('advisories on ZITADEL', () => {
  it('CVE-2026-109374: a protected account is reached neither at issue nor at the exchange', async () => {
    // There, an exchange reached a target that was protected from it.
    const isProtected = new Set(['bob'])
    const deployment = await deploy({
      impersonation: { authorize: ({ account }) => !isProtected.has(account.accountId) },
    })
    const refused = await deployment.issue({ userId: 'bob' })
    expect([refused.status, refused.body.error]).to.deep.equal([403, 'access_denied'])
    expect(refused.body).to.not.have.property('subjectToken')

    const subject_token = await issued(deployment)
    isProtected.add('alice')
    await expectRefused(deployment, { subject_token }, 'access_denied')
    isProtected.delete('alice')
    expect(await expectExchanged(deployment, { subject_token })).to.include({ sub: 'alice' })
    await deployment.close()
  })

  describe('CVE-2026-56668 (GHSA-vrh8-c9cm-wh8v)', () => {
    // There, a token of little power was exchanged for a powerful one at another application.
    it('a foreign client does not exchange a token that is bound to a client', async () => {
      const deployment = await deploy()
      const subject_token = await issued(deployment, { mayAct: { clientId: 'console' } })
      await expectRefused(deployment, { subject_token }, SUBJECT_REFUSED, WEB)
      await expectExchanged(deployment, { subject_token })
      await deployment.close()
    })

    it('another application is no target of a token that is bound to a resource', async () => {
      const deployment = await deploy()
      const subject_token = await issued(deployment, { resource: deployment.orders })
      await expectRefused(deployment, { subject_token, resource: `${deployment.base}/opaque` })
      expect(await expectExchanged(deployment, { subject_token })).to.include({
        aud: deployment.orders,
      })
      await deployment.close()
    })

    it('asking for more scopes than the token is bound to gives no more', async () => {
      const deployment = await deploy()
      const subject_token = await issued(deployment, { scope: 'orders:read' })
      const scope = 'openid orders:read orders:write'
      const { scope: granted } = await expectExchanged(deployment, { subject_token, scope })
      expect(granted).to.equal('orders:read')
      await deployment.close()
    })
  })

  it('CVE-2026-27840: truncated tokens are worth nothing, as subject, actor or bearer', async () => {
    // There, opaque access tokens cut to 80 characters still counted as valid.
    const deployment = await deploy({
      impersonation: {
        managementApi: { tokenFormat: 'opaque', resource: 'https://id.example/api' },
      },
    })
    const resource = 'https://id.example/api'
    const m2m = await deployment.m2mToken({ resource })
    const { body } = await deployment.issue({ userId: 'alice' }, { token: m2m })
    const subject_token: string = body.subjectToken
    const opaque = (await signIn(deployment, 'olivia')).access_token
    const jwt = await operatorJwt(deployment)
    for (const share of [0.25, 0.5, 0.75, 0.9, 1]) {
      const cut = (token: string) => token.slice(0, Math.floor(token.length * share) - 1)
      await expectRefused(deployment, { subject_token: cut(subject_token) }, SUBJECT_REFUSED)
      for (const actor of [opaque, jwt]) {
        const form = { subject_token, actor_token: cut(actor) }
        await expectRefused(deployment, form, ACTOR_REFUSED)
      }
      await expectBearerRefused(deployment, cut(m2m))
    }
    const { act } = await expectExchanged(deployment, { subject_token, actor_token: opaque })
    expect(act).to.deep.equal({ sub: 'olivia' })
    await deployment.close()
  })

  describe('CVE-2026-55669', () => {
    // There, a token counted whoever it was for: signature and issuer were checked, `aud` was not.
    const elsewhere = 'https://elsewhere.example'

    for (const accessTokenFormat of ['jwt', 'opaque']) {
      it(`a machine's ${accessTokenFormat} token for another audience, with the right scope`, async () => {
        const deployment = await deploy({
          resources: { [elsewhere]: { scope: 'impersonate', accessTokenFormat } },
        })
        const token = await deployment.m2mToken({ resource: elsewhere })
        await expectBearerRefused(deployment, token)
        expect((await deployment.issue({ userId: 'alice' })).status).to.equal(201)
        await deployment.close()
      })
    }

    it('an audience that is another target than the resource', async () => {
      const deployment = await deploy()
      const subject_token = await issued(deployment)
      await expectRefused(deployment, { subject_token, audience: elsewhere }, 'invalid_target')
      await expectExchanged(deployment, { subject_token, audience: deployment.orders })
      await deployment.close()
    })
  })
})
