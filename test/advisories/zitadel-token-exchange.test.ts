import { expect } from 'chai'
import { deploy } from '../support/deployment.ts'
import {
  expectBearerRefused,
  expectExchanged,
  expectRefused,
  issued,
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
