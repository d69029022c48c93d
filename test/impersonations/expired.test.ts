import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { resourceServer } from '../../packages/resource-server/src/index.ts'
import { ENDED, verdict } from '../../packages/resource-server/test/status/status-provider.ts'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { at } from '../support/clock.ts'
import type { Deployment } from '../support/deployment.ts'
import { endings, only } from './recorded-endings.ts'

/** An impersonation whose access token is known, on a store that follows the clock of the test. */
async function impersonation() {
  const adapter = createMemoryAdapter({ now: () => Date.now() })
  const { deployment, ended } = await endings({ configuration: { adapter } })
  const { body } = await deployment.exchange({ subject_token: await deployment.subjectToken() })
  const { id, expiresAt = 0 } = await only(deployment)
  return { deployment, ended, id, expiresAt, token: String(body.access_token) }
}

/** What an API says whose clock may be slow by five minutes. */
function say({ issuer, orders: audience }: Deployment, token: string): Promise<string> {
  const options = { issuer, audience, requireStatus: true, clockTolerance: 300 }
  return verdict(resourceServer(options), token)
}

describe('the end of an impersonation whose subject token has expired by the clock of this process alone', () => {
  const ways: Record<string, (deployment: Deployment, id: string) => Promise<unknown>> = {
    'by its id': async ({ provider }, id) => (await provider.impersonation.end(id))?.state,
    'with all of the user': ({ provider }) => provider.impersonation.endAll({ userId: 'alice' }),
  }
  for (const [how, end] of Object.entries(ways)) {
    it(`I14: ${how}: a process whose clock is 5 seconds behind redeems it no more`, async () => {
      const adapter = createMemoryAdapter({ now: () => Date.now() })
      const { deployment } = await endings({ configuration: { adapter } })
      const subjectToken = await deployment.subjectToken()
      const { id, redeemableUntil } = await only(deployment)
      await at(redeemableUntil * 1000 + 4900, async () => {
        expect((await only(deployment)).state).to.equal('expired')
        expect(await end(deployment, id)).to.be.oneOf(['ended', 1])
      })
      await at(redeemableUntil * 1000 - 100, async () => {
        const { status } = await deployment.exchange({ subject_token: subjectToken })
        expect([status, (await only(deployment)).state]).to.deep.equal([400, 'ended'])
      })
      await deployment.close()
    })
  }
})

describe('the end of an impersonation whose access token has expired', () => {
  const ways: Record<string, (deployment: Deployment, id: string) => Promise<unknown>> = {
    'by its id': async ({ provider }, id) => (await provider.impersonation.end(id))?.state,
    'with all of the user': async (deployment) => {
      const ended = await deployment.provider.impersonation.endAll({ userId: 'alice' })
      return ended === 1 ? (await only(deployment)).state : ended
    },
  }
  for (const [how, end] of Object.entries(ways)) {
    it(`I14: ${how}, under 300 s ago: an API that forgives as much refuses it then`, async () => {
      const { deployment, ended, id, expiresAt, token } = await impersonation()
      await at((expiresAt + 290) * 1000, async () => {
        expect((await only(deployment)).state).to.equal('expired')
        expect(await say(deployment, token)).to.equal('alice')
        expect(await end(deployment, id)).to.equal('ended')
      })
      await at((expiresAt + 295) * 1000, async () => {
        expect(await say(deployment, token)).to.equal(ENDED)
        expect(await deployment.provider.impersonation.endAll({ userId: 'alice' })).to.equal(0)
      })
      expect(ended.map((event) => [event.id, event.end?.cause])).to.deep.equal([[id, 'requested']])
      await deployment.close()
    })

    it(`${how}, 300 s ago: nothing changes, nothing is counted, and no event is raised`, async () => {
      const { deployment, ended, id, expiresAt, token } = await impersonation()
      await at((expiresAt + 300) * 1000, async () => {
        expect(await say(deployment, token)).to.match(/^401/)
        expect(await end(deployment, id)).to.be.oneOf(['expired', 0])
        expect((await only(deployment)).state).to.equal('expired')
      })
      await wait(5)
      expect(ended).to.deep.equal([])
      await deployment.close()
    })
  }
  it('stays known for 330 s, also of what was redeemed at the last moment: a guard forgives 300 s, a status list lasts 30 s', async () => {
    const adapter = createMemoryAdapter({ now: () => Date.now() })
    const impersonation = { accessToken: { maxTtl: 60 } }
    const { deployment } = await endings({ configuration: { adapter }, impersonation })
    const subject_token = await deployment.subjectToken()
    const { id, redeemableUntil } = await only(deployment)
    await at(redeemableUntil * 1000 - 1, async () => {
      expect((await deployment.exchange({ subject_token })).status).to.equal(200)
    })
    const { expiresAt = 0 } = await only(deployment)
    await at((expiresAt + 329) * 1000, async () => {
      expect((await deployment.provider.impersonation.get(id))?.state).to.equal('expired')
    })
    await deployment.close()
  })
})
