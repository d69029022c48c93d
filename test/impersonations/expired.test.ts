import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { resourceServer } from '../../packages/resource-server/src/index.ts'
import { ENDED, verdict } from '../../packages/resource-server/test/status/status-provider.ts'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { recording } from '../support/audit.ts'
import { at } from '../support/clock.ts'
import type { Deployment } from '../support/deployment.ts'
import { expectAnswer } from '../support/http.ts'
import { expectState, only } from './recorded-endings.ts'

/** An impersonation whose access token is known, on a store that follows the clock of the test. */
async function impersonation() {
  const adapter = createMemoryAdapter({ now: () => Date.now() })
  const deployment = await recording({ adapter })
  const { id, token } = await deployment.impersonate()
  const { expiresAt = 0 } = await only(deployment)
  return { ...deployment, id, expiresAt, token }
}

/** Returns the verdict of an API whose clock may be slow by five minutes. */
function say({ issuer, orders: audience }: Deployment, token: string): Promise<string> {
  const options = { issuer, audience, requireStatus: true, clockTolerance: 300 }
  return verdict(resourceServer(options), token)
}

/** Resolves whether it ended. */
const WAYS: Record<string, (deployment: Deployment, id: string) => Promise<boolean>> = {
  'by its id': async ({ provider }, id) =>
    (await provider.impersonation.end(id))?.state === 'ended',
  'with all of the user': async ({ endAll }) => (await endAll()) === 1,
}

for (const [how, end] of Object.entries(WAYS)) {
  describe(`the end of what has expired, ${how}`, () => {
    it('I14: by the clock of this process alone: one that is 5 seconds behind redeems it no more', async () => {
      const adapter = createMemoryAdapter({ now: () => Date.now() })
      await using deployment = await recording({ adapter })
      const subject_token = await deployment.subjectToken()
      const { id, redeemableUntil } = await only(deployment)
      await at(redeemableUntil * 1000 + 4900, async () => {
        await expectState(deployment, 'expired')
        expect(await end(deployment, id)).to.equal(true)
      })
      await at(redeemableUntil * 1000 - 100, async () => {
        await expectAnswer(deployment.exchange({ subject_token }), 400)
        await expectState(deployment, 'ended')
      })
    })

    it('I14: under 300 s ago: an API that forgives as much refuses it then', async () => {
      await using deployment = await impersonation()
      const { id, expiresAt, token } = deployment
      await at((expiresAt + 290) * 1000, async () => {
        await expectState(deployment, 'expired')
        expect(await say(deployment, token)).to.equal('alice')
        expect(await end(deployment, id)).to.equal(true)
        await expectState(deployment, 'ended')
      })
      await at((expiresAt + 295) * 1000, async () => {
        expect(await say(deployment, token)).to.equal(ENDED)
        expect(await deployment.endAll()).to.equal(0)
      })
      expect(deployment.ended.map((event) => [event.id, event.end?.cause])).to.deep.equal([
        [id, 'requested'],
      ])
    })

    it('300 s ago: nothing changes, nothing is counted, and no event is raised', async () => {
      await using deployment = await impersonation()
      const { id, expiresAt, token } = deployment
      await at((expiresAt + 300) * 1000, async () => {
        expect(await say(deployment, token)).to.match(/^401/)
        expect(await end(deployment, id)).to.equal(false)
        await expectState(deployment, 'expired')
      })
      await wait(5)
      expect(deployment.ended).to.deep.equal([])
    })
  })
}

describe('an impersonation that has expired', () => {
  it('stays known for 330 s, also of what was redeemed at the last moment: a guard forgives 300 s, a status list lasts 30 s', async () => {
    const adapter = createMemoryAdapter({ now: () => Date.now() })
    const impersonation = { accessToken: { maxTtl: 60 } }
    await using deployment = await recording({ adapter, impersonation })
    const subject_token = await deployment.subjectToken()
    const { redeemableUntil } = await only(deployment)
    await at(redeemableUntil * 1000 - 1, async () => {
      await deployment.redeem(subject_token)
    })
    const { expiresAt = 0 } = await only(deployment)
    await at((expiresAt + 329) * 1000, async () => {
      await expectState(deployment, 'expired')
    })
  })
})
