import { expect } from 'chai'
import { deploy } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { signIn } from '../support/sign-in.ts'
import { stoppedClock } from '../support/stopped-clock.ts'
import { expectActive } from './recorded-endings.ts'

describe('an account that changes, and what runs', () => {
  it('goes on when the account is deleted and its grants are revoked, until it is ended', async () => {
    await using deployment = await deploy()
    const { accounts, base, exchange, post, provider, subjectToken } = deployment
    const alice = await signIn(deployment, 'alice', { scope: 'openid offline_access' })
    const resource = `${base}/opaque`
    const { body } = await exchange({ subject_token: await subjectToken(), resource })
    const waiting = await subjectToken()
    const revoked = { token: alice.refresh_token, client_id: 'console' }
    await expectAnswer(post('/oidc/token/revocation', revoked), 200)
    accounts.delete('alice')
    await expectActive(deployment, body.access_token, true, 'a deleted account')
    await expectAnswer(exchange({ subject_token: waiting }), 400, undefined, 'what waits')

    accounts.add('alice')
    expect(await provider.impersonation.endAll({ userId: 'alice' })).to.equal(2)
    await expectActive(deployment, body.access_token, false, 'after the end')
    await expectAnswer(exchange({ subject_token: waiting }), 400, undefined, 'what waited')
  })

  it("goes on when the operator's session and grant expire and the account is deleted, until it is ended", async () => {
    using clock = stoppedClock()
    const ttl = { Session: 5, Grant: 5, AccessToken: 60 }
    await using deployment = await deploy({ configuration: { ttl } })
    const { accounts, base, exchange, provider, subjectToken } = deployment
    const actor_token = await deployment.actorToken()
    const form = { subject_token: await subjectToken(), actor_token, resource: `${base}/opaque` }
    const { body } = await exchange(form)
    accounts.delete('olivia')
    clock.pass(6)
    await expectActive(deployment, body.access_token, true)
    expect(await provider.impersonation.endAll({ actor: 'olivia' })).to.equal(1)
    await expectActive(deployment, body.access_token, false)
  })
})
