import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { recording } from '../support/audit.ts'
import { basic, type Deployment, type DeploymentOptions, deploy } from '../support/deployment.ts'
import { dpopKey } from '../support/dpop.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { expectAnswer } from '../support/http.ts'
import { expectActive, expectState, only } from './recorded-endings.ts'

const BACKEND = basic('backend', 'backend-secret')

/** RFC 7009, by the public client `console`, or by a client that authenticates. */
function revoke(deployment: Deployment, token: string, headers?: Record<string, string>) {
  const form = headers ? { token } : { token, client_id: 'console' }
  return deployment.post('/oidc/token/revocation', form, headers)
}

describe('I14: revoking an opaque impersonated token', () => {
  async function opaque(options: DeploymentOptions = {}) {
    const deployment = await recording(options)
    const actor_token = await deployment.actorToken()
    const form = { actor_token, resource: `${deployment.base}/opaque`, scope: 'openid' }
    return { ...deployment, token: (await deployment.impersonate(form)).token }
  }

  it('ends its impersonation, as its operator asked, and raises one event', async () => {
    await using deployment = await opaque()
    const { token } = deployment
    await expectAnswer(revoke(deployment, token), 200)
    const { state, end } = await only(deployment)
    expect(state).to.equal('ended')
    expect(end).to.deep.include({ cause: 'requested', by: { sub: 'olivia' } })
    await expectActive(deployment, token, false)
    await expectAnswer(revoke(deployment, token), 200)
    await wait(5)
    expect(deployment.ended.map((event) => event.userId)).to.deep.equal(['alice'])
  })

  it('by code of the deployment ends it, too, by whom is not known', async () => {
    await using deployment = await opaque()
    const { token } = deployment
    await (await deployment.provider.AccessToken.find(token))?.destroy()
    const { end } = await only(deployment)
    expect(end?.cause).to.equal('requested')
    expect(end).to.not.have.property('by')
  })

  it('that is bound to a key ends it, and does not say who asked: no proof was asked for', async () => {
    await using deployment = await recording()
    const key = await dpopKey()
    const actor_token = await deployment.actorToken()
    const dpop = await key.proof({ htu: `${deployment.issuer}/token` })
    const form = { actor_token, resource: `${deployment.base}/opaque` }
    const { body } = await deployment.exchange(form, { dpop })
    expect(body.token_type).to.equal('DPoP')
    await revoke(deployment, body.access_token)
    const { state, end } = await only(deployment)
    expect(state).to.equal('ended')
    expect(end).to.not.have.property('by')
  })

  it('by a client that it was not issued to ends nothing', async () => {
    await using deployment = await opaque()
    const { token } = deployment
    await deployment.post('/oidc/token/revocation', { token, client_id: 'plain' })
    await expectAnswer(revoke(deployment, token, BACKEND), 400)
    await expectState(deployment, 'active')
  })

  it('I5: is trouble where the end cannot be stored; the token stays, and may be revoked again', async () => {
    const { adapter, faults } = faultyAdapter()
    await using deployment = await opaque({ adapter })
    const { token } = deployment
    faults.add('SubjectToken.endOnce')
    await expectAnswer(revoke(deployment, token), 500)
    faults.clear()
    await expectActive(deployment, token, true)
    // Its impersonation ends first: so far it comes, and the answer says no more.
    faults.add('AccessToken.destroy')
    await expectAnswer(revoke(deployment, token), 500)
    faults.clear()
    await expectActive(deployment, token, false)
    await expectAnswer(revoke(deployment, token), 200)
    await expectState(deployment, 'ended')
  })

  it('leaves every other token’s revocation as it is', async () => {
    await using deployment = await opaque()
    const access_token = await deployment.actorToken()
    await expectAnswer(revoke(deployment, access_token), 200)
    await expectActive(deployment, access_token, false)
    await expectState(deployment, 'active')
  })
})

describe('revoking a subject token', () => {
  it("I12: changes nothing: the endpoint is the provider's own", async () => {
    await using deployment = await deploy()
    const subject_token = await deployment.subjectToken()
    await expectAnswer(revoke(deployment, subject_token, BACKEND), 200)
    await deployment.redeem(subject_token)
  })
})
