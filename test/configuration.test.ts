import { expect } from 'chai'
import { Provider, type ProviderConfiguration } from '../src/index.ts'
import { CLIENTS, deploy } from './support/deployment.ts'
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

  it('refuses features.resourceIndicators switched off, which it needs', () => {
    const features = {
      ...configuration.features,
      resourceIndicators: { enabled: false },
      impersonation: enabled,
    }
    expect(() => start({ features })).to.throw(TypeError, 'features.resourceIndicators.enabled')
  })

  it("keeps the deployment's own ttl.ClientCredentials, except for the management API", async () => {
    await using deployment = await deploy({
      configuration: { ttl: { ClientCredentials: 42 } },
      impersonation: {},
    })
    const { decodeJwt } = await import('jose')
    const { exp = 0, iat = 0 } = decodeJwt(await deployment.m2mToken())
    expect(exp - iat).to.equal(600)
    const other = decodeJwt(await deployment.m2mToken({ resource: deployment.orders }))
    expect((other.exp ?? 0) - (other.iat ?? 0)).to.equal(42)
  })

  it('signs machine-to-machine tokens with whatever key there is', async () => {
    // The provider's default is RS256, for which there is no key here.
    await using deployment = await deploy({
      configuration: { clientDefaults: {} },
      clients: [{ ...CLIENTS[0], client_id: 'm2m', id_token_signed_response_alg: 'ES256' }],
    })
    const { decodeProtectedHeader } = await import('jose')
    const token = await deployment.m2mToken({}, ['m2m', 'backend-secret'])
    expect(decodeProtectedHeader(token).alg).to.equal('ES256')
  })
})
