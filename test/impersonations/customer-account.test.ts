import { expect } from 'chai'
import { deploy } from '../support/deployment.ts'
import { basic } from '../support/http.ts'
import { signIn } from '../support/sign-in.ts'

describe("the customer's account and what runs for it", () => {
  it('goes on when the account is deleted and its grants are revoked, until it is ended', async () => {
    await using deployment = await deploy()
    const { accounts, base, exchange, post, provider, subjectToken } = deployment
    const alice = await signIn(deployment, 'alice', { scope: 'openid offline_access' })
    const opaque = { resource: `${base}/opaque`, scope: 'orders:read' }
    const started = await exchange({ subject_token: await subjectToken(), ...opaque })
    const waiting = await subjectToken()
    const isActive = async () => {
      const form = { token: started.body.access_token }
      const path = '/oidc/token/introspection'
      return (await post(path, form, basic('backend', 'backend-secret'))).body.active
    }

    const revoked = { token: alice.refresh_token ?? '', client_id: 'console' }
    expect((await post('/oidc/token/revocation', revoked)).status).to.equal(200)
    accounts.delete('alice')
    expect(await isActive(), 'a deleted account').to.equal(true)
    expect((await exchange({ subject_token: waiting })).status, 'what waits').to.equal(400)

    accounts.add('alice')
    expect(await provider.impersonation.endAll({ userId: 'alice' })).to.equal(2)
    expect(await isActive(), 'after the end').to.equal(false)
    expect((await exchange({ subject_token: waiting })).status, 'what waited').to.equal(400)
  })
})
