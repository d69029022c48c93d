import { expect } from 'chai'
import type { AdapterPayload } from 'oidc-provider'
import type { AdapterFactory } from 'oidc-provider-impersonation'
import { createMemoryAdapter } from 'oidc-provider-impersonation/adapters/memory'
import { withMembers } from '../../../../test/adapters/with-members.ts'
import { signingKey } from '../../../../test/support/deployment-configuration.ts'
import { deployForSuite, serve } from '../support/deployment.ts'
import { complaintsIn, runSuite } from '../support/run-suite.ts'

/** What one process remembers of redeemed tokens, and tells no other. */
function forgetful(shared: AdapterFactory): AdapterFactory {
  const redeemed = new Map<string, number>()
  return (model) => {
    const sound = shared(model)
    if (model !== 'SubjectToken') return sound
    return withMembers(sound, {
      async find(id: string): Promise<AdapterPayload | undefined> {
        const found = await sound.find(id)
        const at = redeemed.get(id)
        return found && { ...found, consumed: at }
      },
      async consumeOnce(...[id, note]: Parameters<typeof sound.consumeOnce>) {
        if (redeemed.has(id)) return false
        redeemed.set(id, Math.floor(Date.now() / 1000))
        await sound.consumeOnce(id, note)
        return true
      },
    })
  }
}

describe('a server of which each process remembers what it redeemed itself', function () {
  this.timeout(60_000)
  const single = ['P30', 'P31']

  it('is right by one process, and red by two in turn', async () => {
    const shared = createMemoryAdapter()
    await using deployed = await deployForSuite({ adapter: forgetful(shared) })
    const { issuer, configuration } = deployed
    expect(complaintsIn(await runSuite(deployed, single))).to.deep.equal([])

    const { origin: base } = new URL(issuer)
    const other = await serve({ adapter: forgetful(shared), of: { base, key: signingKey } })
    const processes = [base, other.origin]
    const red = await runSuite({ issuer, configuration: { ...configuration, processes } }, single)
    await other.close()
    expect(red.results.map(({ outcome }) => outcome)).to.deep.equal(['failed', 'failed'])
    expect(complaintsIn(red).join('\n')).to.include('P31 failed: 2 of 20 exchanges were granted')
  })
})
