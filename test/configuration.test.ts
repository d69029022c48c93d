import { expect } from 'chai'
import { Provider, type ProviderConfiguration } from '../src/index.ts'
import { memoryAdapterWith } from './support/faulty-adapter.ts'
import { configuration, enabled } from './support/serving.ts'

describe('start-up', () => {
  const start = (extra: object) =>
    new Provider('https://id.example.com', {
      ...configuration,
      features: { ...configuration.features, impersonation: enabled },
      ...extra,
    } as ProviderConfiguration)

  it('I1: refuses a custom adapter without consumeOnce, with the ways out', () => {
    expect(() => start({ adapter: memoryAdapterWith({ consumeOnce: undefined }) }))
      .to.throw(TypeError)
      .with.property('message')
      .that.includes('consumeOnce(id)')
      .and.includes('withSubjectTokens(')
      .and.includes('node_modules/oidc-provider-impersonation/docs/adapters.md')
      .and.includes("'per-process'")
  })

  it('I12: does not switch features.clientCredentials on: without it, it says what to write', () => {
    for (const clientCredentials of [undefined, {}, { enabled: false }]) {
      const features = { ...configuration.features, clientCredentials, impersonation: enabled }
      expect(() => start({ features }))
        .to.throw(TypeError, /^features\.clientCredentials\.enabled must be true/)
        .with.property('message')
        .that.includes('features: { clientCredentials: { enabled: true } }')
    }
  })

  it('of an adapter without the methods of ends leaves canEnd false; it is refused where they must end', async () => {
    const { impersonation } = start({ adapter: undefined })
    expect(impersonation.canEnd).to.equal(false)
    const error = await impersonation.end('x').catch(String)
    expect(error).to.contain('cannot be seen or ended')
    const ending = { enabled: true }
    const features = { ...configuration.features, impersonation: { ...enabled, ending } }
    expect(() => start({ adapter: undefined, features }))
      .to.throw('features.impersonation.ending.enabled is true')
      .with.property('message')
      .that.includes('lacks consumeOnce, endOnce, list, endedIndices')
  })

  it('refuses features.resourceIndicators switched off, which it needs', () => {
    const features = {
      ...configuration.features,
      resourceIndicators: { enabled: false },
      impersonation: enabled,
    }
    expect(() => start({ features })).to.throw(TypeError, 'features.resourceIndicators.enabled')
  })
})
