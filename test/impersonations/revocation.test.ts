import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { at } from '../support/clock.ts'
import { basic, type Deployment, type DeploymentOptions } from '../support/deployment.ts'
import { dpopKey } from '../support/dpop.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { REFUSED } from '../support/http.ts'
import { signIn } from '../support/sign-in.ts'
import { endings, isActive, only } from './recorded-endings.ts'

const BACKEND = basic('backend', 'backend-secret')

/** RFC 7009, by the public client `console`, or by a client that authenticates. */
function revoke(deployment: Deployment, token: string, headers?: Record<string, string>) {
  const form = headers ? { token } : { token, client_id: 'console' }
  return deployment.post('/oidc/token/revocation', form, headers)
}

describe('I14: revoking an opaque impersonated token', () => {
  async function opaque(options: DeploymentOptions = {}) {
    const { deployment, ended } = await endings(options)
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const { body } = await deployment.exchange({
      subject_token: await deployment.subjectToken(),
      actor_token,
      resource: `${deployment.base}/opaque`,
      scope: 'openid',
    })
    return { deployment, ended, token: String(body.access_token) }
  }

  it('ends its impersonation, as its operator asked, and raises one event', async () => {
    const { deployment, ended, token } = await opaque()
    expect((await revoke(deployment, token)).status).to.equal(200)
    const { state, end } = await only(deployment)
    expect(state).to.equal('ended')
    expect(end).to.deep.include({ cause: 'requested', by: { sub: 'olivia' } })
    expect(await isActive(deployment, token)).to.equal(false)
    expect((await revoke(deployment, token)).status).to.equal(200)
    await wait(5)
    expect(ended.map((event) => event.userId)).to.deep.equal(['alice'])
    await deployment.close()
  })

  it('by code of the deployment ends it, too, by whom is not known', async () => {
    const { deployment, token } = await opaque()
    await (await deployment.provider.AccessToken.find(token))?.destroy()
    const { end } = await only(deployment)
    expect(end?.cause).to.equal('requested')
    expect(end).to.not.have.property('by')
    await deployment.close()
  })

  it('that is bound to a key ends it, and does not say who asked: no proof was asked for', async () => {
    const { deployment } = await endings()
    const key = await dpopKey()
    const { access_token: actor_token } = await signIn(deployment, 'olivia')
    const { body } = await deployment.exchange(
      {
        subject_token: await deployment.subjectToken(),
        actor_token,
        resource: `${deployment.base}/opaque`,
      },
      { dpop: await key.proof({ htu: `${deployment.issuer}/token` }) },
    )
    expect(body.token_type).to.equal('DPoP')
    await revoke(deployment, body.access_token)
    const { state, end } = await only(deployment)
    expect(state).to.equal('ended')
    expect(end).to.not.have.property('by')
    await deployment.close()
  })

  it('by a client that it was not issued to ends nothing', async () => {
    const { deployment, token } = await opaque()
    await deployment.post('/oidc/token/revocation', { token, client_id: 'plain' })
    expect((await revoke(deployment, token, BACKEND)).status).to.equal(400)
    expect((await only(deployment)).state).to.equal('active')
    await deployment.close()
  })

  it('I5: is trouble where the end cannot be stored; the token stays, and may be revoked again', async () => {
    const { adapter, faults } = faultyAdapter()
    const { deployment, token } = await opaque({ configuration: { adapter } })
    faults.add('SubjectToken.endOnce')
    expect((await revoke(deployment, token)).status).to.equal(500)
    faults.clear()
    expect(await isActive(deployment, token)).to.equal(true)
    // Its impersonation ends first: so far it comes, and the answer says no more.
    faults.add('AccessToken.destroy')
    expect((await revoke(deployment, token)).status).to.equal(500)
    faults.clear()
    expect(await isActive(deployment, token)).to.equal(false)
    expect((await revoke(deployment, token)).status).to.equal(200)
    expect((await only(deployment)).state).to.equal('ended')
    await deployment.close()
  })

  it('leaves every other token’s revocation as it is', async () => {
    const { deployment } = await opaque()
    const { access_token } = await signIn(deployment, 'olivia')
    expect((await revoke(deployment, access_token)).status).to.equal(200)
    expect(await isActive(deployment, access_token)).to.equal(false)
    expect((await only(deployment)).state).to.equal('active')
    await deployment.close()
  })
})

describe('I14: revoking a subject token', () => {
  it('that was not redeemed ends its impersonation: by the client that asked for it', async () => {
    const { deployment, ended } = await endings()
    const subject_token = await deployment.subjectToken()
    expect((await revoke(deployment, subject_token, BACKEND)).status).to.equal(200)
    expect((await only(deployment)).end).to.include({ cause: 'requested' })
    expect((await deployment.exchange({ subject_token })).body).to.deep.equal(REFUSED)
    expect(ended).to.have.length(1)
    await deployment.close()
  })

  it('and by the client that it is bound to', async () => {
    const { deployment } = await endings()
    const { body } = await deployment.issue({ userId: 'alice', mayAct: { clientId: 'console' } })
    expect((await revoke(deployment, body.subjectToken)).status).to.equal(200)
    expect((await only(deployment)).state).to.equal('ended')
    await deployment.close()
  })

  it('I6: by another client, or without authentication, changes nothing, and answers as for an unknown one', async () => {
    const { deployment } = await endings()
    const subject_token = await deployment.subjectToken()
    const unknown = 'A'.repeat(43)
    for (const headers of [undefined, basic('web', 'web-secret')]) {
      const [one, other] = [
        await revoke(deployment, subject_token, headers),
        await revoke(deployment, unknown, headers),
      ]
      expect([one.status, one.body]).to.deep.equal([200, other.body])
      expect(other.status).to.equal(200)
    }
    const wrong = basic('backend', 'wrong-secret')
    expect((await revoke(deployment, subject_token, wrong)).status).to.equal(401)
    const twice = { token: [subject_token, subject_token], client_id: 'console' }
    expect((await deployment.post('/oidc/token/revocation', twice)).status).to.equal(400)
    expect((await deployment.exchange({ subject_token })).status).to.equal(200)
    await deployment.close()
  })

  it('that was redeemed, or has expired, ends nothing', async () => {
    const adapter = createMemoryAdapter({ now: () => Date.now() })
    const { deployment, ended } = await endings({ configuration: { adapter } })
    const subject_token = await deployment.subjectToken()
    await deployment.exchange({ subject_token })
    expect((await revoke(deployment, subject_token, BACKEND)).status).to.equal(200)
    expect((await only(deployment)).state).to.equal('active')
    const unused = await deployment.subjectToken('bob')
    await at(Date.now() + 601_000, async () => {
      expect((await revoke(deployment, unused, BACKEND)).status).to.equal(200)
    })
    await wait(5)
    expect(ended).to.deep.equal([])
    await deployment.close()
  })

  it('I5: is trouble where the storage fails, and never a success', async () => {
    const { adapter, faults } = faultyAdapter()
    const { deployment } = await endings({ configuration: { adapter } })
    const subject_token = await deployment.subjectToken()
    for (const fault of ['SubjectToken.find', 'SubjectToken.endOnce']) {
      faults.add(fault)
      const answer = await revoke(deployment, subject_token, BACKEND)
      expect([answer.status, answer.body.error]).to.deep.equal([500, 'server_error'])
      faults.clear()
    }
    expect(deployment.serverErrors).to.have.length(2)
    expect((await deployment.exchange({ subject_token })).status).to.equal(200)
    await deployment.close()
  })

  it('does nothing where impersonations cannot be ended', async () => {
    const { deployment } = await endings({ impersonation: { ending: { enabled: false } } })
    const subject_token = await deployment.subjectToken()
    expect((await revoke(deployment, subject_token, BACKEND)).status).to.equal(200)
    expect((await deployment.exchange({ subject_token })).status).to.equal(200)
    await deployment.close()
  })
})
