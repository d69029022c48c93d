import { expect } from 'chai'
import OidcProvider from 'oidc-provider'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { withoutImpersonation } from '../../src/configuration.ts'
import { configurationOf } from '../../src/host/instance.ts'
import { Provider, TOKEN_EXCHANGE_GRANT_TYPE } from '../../src/index.ts'
import {
  type DeploymentOptions,
  deploymentConfiguration,
} from '../support/deployment-configuration.ts'
import { differences } from '../support/differences.ts'
import { printedBy } from '../support/side-by-side.ts'

/** Both kinds of provider, on one and the same configuration object. */
function both(options: DeploymentOptions = {}): [plain: OidcProvider, ours: Provider] {
  const issuer = 'https://id.example.com'
  const configuration = deploymentConfiguration(issuer, new Set(['alice']), options)
  return [
    new OidcProvider(issuer, withoutImpersonation(configuration)),
    new Provider(issuer, configuration),
  ]
}

describe('I12: what enabling impersonation changes in a provider', () => {
  it('its configuration: these settings and no other', () => {
    const [plain, ours] = both().map(configurationOf)
    expect(differences(plain, ours).toSorted()).to.deep.equal([
      'discovery.impersonation_current_endpoint',
      'discovery.impersonation_end_endpoint',
      'discovery.status_list_aggregation_endpoint',
      'extraTokenClaims',
      'features.resourceIndicators.getResourceServerInfo',
      'formats.customizers.jwt',
      `grantTypes: ${TOKEN_EXCHANGE_GRANT_TYPE}`,
      'ttl.ClientCredentials',
      'ttl.SubjectToken',
    ])
  })

  it('ttl.ClientCredentials only where the deployment sets it; the configuration it was given stays as it is', () => {
    const given = deploymentConfiguration('https://id.example.com', new Set(), {
      configuration: { ttl: { AccessToken: 60 } },
    })
    const before = { ...given, features: { ...given.features }, ttl: { ...given.ttl } }
    const ours = new Provider('https://id.example.com', given)
    const plain = new OidcProvider('https://id.example.com', withoutImpersonation(given))
    expect(given).to.deep.equal(before)
    const [ttl, ttlOfOurs] = [plain, ours].map((provider) => configurationOf(provider).ttl)
    expect(differences(ttl, ttlOfOurs)).to.deep.equal(['SubjectToken'])
  })

  it('where impersonations can end: two middlewares of the provider, and a listener', () => {
    const [plain, ours] = both()
    expect(ours.middleware).to.have.lengthOf(plain.middleware.length + 2)
    // The provider's own comes last, as before.
    expect(ours.middleware.at(-1)?.name).to.equal(plain.middleware.at(-1)?.name)
    const added = ours.eventNames().filter((name) => !plain.eventNames().includes(name))
    expect(added).to.deep.equal(['end_session.success'])
    expect(ours.listenerCount('end_session.success')).to.equal(1)
    expect(Object.hasOwn(ours.Grant, 'adapter')).to.equal(true)
    const quiet = { impersonation: { ending: { endWithOperator: false } } }
    const [before, alone] = both(quiet)
    expect(alone.eventNames()).to.deep.equal(before.eventNames())
    expect(Object.hasOwn(alone.Grant, 'adapter')).to.equal(false)
  })

  it('everywhere: one function of opaque tokens, which says what is stored', () => {
    const [plain, ours] = both()
    for (const model of ['AccessToken', 'ClientCredentials', 'RefreshToken', 'Grant'] as const) {
      const [before, now] = [plain, ours].map(
        (provider) => Object(provider[model].prototype).getValueAndPayload,
      )
      const isAround = String(now) !== String(before)
      expect(isAround, model).to.equal(model === 'AccessToken' || model === 'ClientCredentials')
    }
  })

  const cannot: Record<string, DeploymentOptions> = {
    'the storage adapter cannot': { configuration: { adapter: undefined } },
    'it is switched off': { impersonation: { ending: { enabled: false } } },
  }
  for (const [why, options] of Object.entries(cannot)) {
    it(`where they cannot, because ${why}: no middleware, no listener, no function of a model but one`, () => {
      const [plain, ours] = both(options)
      expect(differences(configurationOf(plain).discovery, configurationOf(ours).discovery)).to.be
        .empty
      expect(ours.middleware).to.have.lengthOf(plain.middleware.length)
      expect(ours.eventNames()).to.deep.equal(plain.eventNames())
      expect(Object.hasOwn(ours.Grant, 'adapter')).to.equal(false)
      // Every provider has models of its own: the same function has the same text.
      const [before, now] = [plain.AccessToken, ours.AccessToken]
      expect(String(now.prototype.destroy)).to.equal(String(before.prototype.destroy))
      // I14: switched off, it finds no opaque token that another process has ended.
      const isAround = String(now.find) !== String(before.find)
      expect(isAround).to.equal(options.configuration === undefined)
    })
  }

  it('prints nothing', async () => {
    const adapter = createMemoryAdapter()
    const clientCredentials = { enabled: true }
    const managementApi = { resource: 'https://id.example.com/api', clients: [] }
    const impersonation = { enabled: true, managementApi }
    const id = 'https://id.example.com'
    const plain = await printedBy(
      () => new OidcProvider(id, { adapter, features: { clientCredentials } }),
    )
    const ours = await printedBy(
      () => new Provider(id, { adapter, features: { clientCredentials, impersonation } }),
    )
    expect(plain).to.have.length.greaterThan(0)
    expect(ours).to.deep.equal(plain)
  })
})
