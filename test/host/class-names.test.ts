import { expect } from 'chai'
import OidcProvider from 'oidc-provider'
import { ImpersonationFeature } from '../../src/index.ts'
import { configuration, enabled } from '../support/serving.ts'

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
