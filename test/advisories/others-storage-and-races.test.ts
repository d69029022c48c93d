import { expect } from 'chai'
import { RateLimiterMemory } from 'rate-limiter-flexible'
import { ACCESS_TOKEN_TYPE, Provider, TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import { deploy } from '../support/deployment.ts'
import { faultyAdapter } from '../support/faulty-adapter.ts'
import { configuration, enabled, serving } from '../support/serving.ts'
import { signIn } from '../support/sign-in.ts'
import { expectExchanged, issued, startingLine, WEB } from './attacks.ts'

describe('advisories on fosite, better-auth, NocoDB: storage, limits, races', () => {
  describe('CVE-2020-15223 (GHSA-7mqr-2v3q-v2wm, fosite)', () => {
    // There, a revocation that failed in the storage was answered 200.
    it('what the storage did not do is a 500, and issues nothing', async () => {
      const { adapter, faults } = faultyAdapter()
      const deployment = await deploy({ configuration: { adapter } })
      const actor_token = (await signIn(deployment, 'olivia')).access_token
      const subject_token = await issued(deployment)
      for (const fault of ['SubjectToken.find', 'SubjectToken.consumeOnce', 'AccessToken.find']) {
        faults.add(fault)
        const { status, body } = await deployment.exchange({ subject_token, actor_token })
        expect([status, body.error], fault).to.deep.equal([500, 'server_error'])
        expect(body).to.not.have.property('access_token')
        faults.clear()
      }
      faults.add('SubjectToken.upsert')
      const { status, body } = await deployment.issue({ userId: 'alice' })
      expect([status, body.error]).to.deep.equal([500, 'server_error'])
      expect(body).to.not.have.property('subjectToken')
      await expectExchanged(deployment, { subject_token, actor_token })
      await deployment.close()
    })

    it('an impersonated token that could not be revoked is not said to be', async () => {
      const { adapter, faults } = faultyAdapter()
      const deployment = await deploy({ configuration: { adapter } })
      const form = {
        subject_token: await issued(deployment),
        resource: `${deployment.base}/opaque`,
      }
      const token = (await deployment.exchange(form)).body.access_token
      const revoke = async () => {
        const client_id = 'console'
        return (await deployment.post('/oidc/token/revocation', { token, client_id })).status
      }
      const active = async () =>
        (await deployment.post('/oidc/token/introspection', { token }, WEB)).body.active
      faults.add('SubjectToken.endOnce')
      expect(await revoke()).to.equal(500)
      expect(await active()).to.equal(true)
      faults.clear()
      // Its impersonation ends first: so far it comes, and the answer says no more.
      faults.add('AccessToken.destroy')
      expect(await revoke()).to.equal(500)
      expect(await active()).to.equal(false)
      faults.clear()
      expect(await revoke()).to.equal(200)
      expect(await active()).to.equal(false)
      await deployment.close()
    })
  })

  it('CVE-2026-45364 (better-auth): one caller has one key, however its address is written', async () => {
    // There, the limiter counted by the address as it was written, each of a /64 for itself.
    const limiter = () => new RateLimiterMemory({ points: 2, duration: 60 })
    await serving(
      (base) => {
        const provider = new Provider(base, {
          ...configuration,
          features: {
            ...configuration.features,
            impersonation: { ...enabled, limits: { failedExchanges: limiter() } },
          },
        })
        provider.proxy = true
        return provider.callback()
      },
      async (base) => {
        const statusFrom = async (address: string) => {
          const { status } = await fetch(`${base}/token`, {
            method: 'POST',
            headers: { 'x-forwarded-for': address },
            body: new URLSearchParams({
              grant_type: TOKEN_EXCHANGE_GRANT_TYPE,
              client_id: 'console',
              subject_token: 'guess',
              subject_token_type: ACCESS_TOKEN_TYPE,
              resource: 'https://orders.example',
            }),
          })
          return status
        }
        const statusesFrom = async (addresses: string[]) => {
          const statuses: number[] = []
          for (const address of addresses) statuses.push(await statusFrom(address))
          return statuses
        }
        const written = ['2001:db8::1', '2001:DB8:0:0:0:0:0:1', '2001:db8::ffff:1', '2001:db8::9']
        expect(await statusesFrom(written)).to.deep.equal([400, 400, 429, 429])
        const mapped = ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:c000:201', '192.0.2.1']
        expect(await statusesFrom(mapped)).to.deep.equal([400, 400, 429, 429])
        expect(await statusesFrom(['2001:db8:0:1::1', '192.0.2.2'])).to.deep.equal([400, 400])
      },
    )
  })

  it('CVE-2026-47386 (NocoDB): two at once, through two clients, get one token', async () => {
    // There, two concurrent exchanges of one code each got a pair of tokens.
    const deployment = await deploy({ impersonation: { getCustomJwtClaims: startingLine(2) } })
    const subject_token = await issued(deployment)
    const answers = await Promise.all(
      [undefined, WEB].map((headers) => deployment.exchange({ subject_token }, headers)),
    )
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 400])
    await deployment.close()
  })
})
