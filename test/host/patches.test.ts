import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import OidcProvider from 'oidc-provider'
import manifest from 'oidc-provider/package.json' with { type: 'json' }
import { configurationOf } from '../../src/host/instance.ts'
import { ImpersonationFeature } from '../../src/index.ts'
import { filesOf, hasTest } from '../docs/cited-tests.ts'
import { configuration, enabled } from '../support/serving.ts'

/** A provider as another version may have it: without a member that impersonation changes. */
const MISSING: Record<string, (provider: OidcProvider) => unknown> = {
  'configuration.discovery': (provider) => configurationOf(provider),
  'configuration.grantTypes': (provider) => configurationOf(provider),
  'Client.Schema': ({ Client }) => Client,
  'AccessToken.prototype.getValueAndPayload': ({ AccessToken }) => AccessToken.prototype,
  'ClientCredentials.prototype.getValueAndPayload': ({ ClientCredentials }) =>
    ClientCredentials.prototype,
  'AccessToken.prototype.destroy': ({ AccessToken }) => AccessToken.prototype,
  'AccessToken.find': ({ AccessToken }) => AccessToken,
}

describe('host/patches.ts: members of a living provider that are changed', () => {
  for (const [member, ownerIn] of Object.entries(MISSING)) {
    it(`${member} has another shape: the start fails, and says which version and what to do`, () => {
      const impersonation = new ImpersonationFeature(enabled)
      const provider = new OidcProvider(
        'https://id.example.com',
        impersonation.configure(configuration),
      )
      const name = member.slice(member.lastIndexOf('.') + 1)
      Object.defineProperty(ownerIn(provider), name, { value: undefined })
      expect(() => impersonation.register(provider))
        .to.throw(TypeError)
        .with.property('message')
        .that.includes(`oidc-provider ${manifest.version} has no ${member} as`)
        .and.includes('install a newer version')
    })
  }

  it('are changed there alone, and each has its test', async () => {
    const source = readFileSync(new URL('../../src/host/patches.ts', import.meta.url), 'utf8')
    const cited = [...source.matchAll(/Test: "(.+?)"\./gs)].map(([, name = '']) =>
      name.replace(/\n \* /g, ' '),
    )
    expect(cited).to.have.length(6)
    const tests = [...(await filesOf('test/**/*.test.ts')).values()]
    for (const name of cited)
      expect(
        tests.some((file) => hasTest(file, name)),
        name,
      ).to.equal(true)
    for (const [file, text] of await filesOf('src/**/*.ts')) {
      if (file.endsWith('host/patches.ts')) continue
      expect(text, file).to.not.match(/(defineProperty|assign)\((provider\.\w|prototype|model\b)/)
    }
  })
})

describe('a bundle whose minifier renamed the classes of oidc-provider', () => {
  it('fails at the start, says so of the class, and says which setting keeps the names', () => {
    for (const model of [
      'AccessToken',
      'Client',
      'ClientCredentials',
      'ReplayDetection',
    ] as const) {
      const impersonation = new ImpersonationFeature(enabled)
      const configured = impersonation.configure(configuration)
      const provider = new OidcProvider('https://id.example.com', configured)
      Object.defineProperty(provider[model], 'name', { value: 'q4' })
      const told = new RegExp(`${model} is called 'q4'.*keepNames: true.*keep_classnames: true`)
      expect(() => impersonation.register(provider)).to.throw(TypeError, told)
    }
  })

  it('is no concern of a deployment that switched impersonation off', () => {
    const provider = new OidcProvider('https://id.example.com', configuration)
    Object.defineProperty(provider.AccessToken, 'name', { value: 'q4' })
    new ImpersonationFeature({ enabled: false }).register(provider)
  })
})
