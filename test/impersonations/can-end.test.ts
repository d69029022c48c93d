import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { deploy } from '../support/deployment.ts'

describe('canEnd', () => {
  it('is false for an adapter without the methods, which is an error where it must be on', async () => {
    const deployment = await deploy({ configuration: { adapter: undefined } })
    const { impersonation } = deployment.provider
    expect(impersonation.canEnd).to.equal(false)
    const error = await impersonation.end('x').catch((thrown: unknown) => thrown)
    expect(String(error)).to.contain('cannot be seen or ended')
    await deployment.close()
    const refused = await deploy({
      configuration: { adapter: undefined },
      impersonation: { ending: { enabled: true } },
    }).catch((thrown: unknown) => thrown)
    expect(String(refused)).to.contain('features.impersonation.ending.enabled is true')
    expect(String(refused)).to.contain('lacks consumeOnce, endOnce, list, endedIndices')
  })

  it('is false where it is switched off: tokens, records and answers are as they were', async () => {
    const adapter = createMemoryAdapter()
    await using deployment = await deploy({
      configuration: { adapter },
      impersonation: { ending: { enabled: false } },
    })
    expect(deployment.provider.impersonation.canEnd).to.equal(false)
    const { body } = await deployment.issue({ userId: 'alice' })
    expect(Object.keys(body)).to.deep.equal(['subjectToken', 'expiresIn'])
  })
})
