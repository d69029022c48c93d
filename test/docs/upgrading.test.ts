import { expect } from 'chai'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { Provider, type ProviderConfiguration } from '../../src/index.ts'
import { deploy, signingKey } from '../support/deployment.ts'
import { type Snippets, snippetsOf } from './documents.ts'

type Features = NonNullable<ProviderConfiguration['features']>

describe('docs/upgrading.md', () => {
  let snippets: Snippets
  before(async () => {
    snippets = await snippetsOf('upgrading.md')
  })
  after(() => snippets[Symbol.asyncDispose]())

  const CLIENTS_SECTION = '1. Name the clients that issue'

  it('before: does not start, and the errors are the ones of the page', async () => {
    const { features } = await snippets.load(CLIENTS_SECTION, 0)
    const old = features as Features
    expect(() => start(old)).to.throw(TypeError, 'managementApi.clients is required')
    const impersonation = { ...old.impersonation, managementApi: named(old) }
    expect(() => start({ impersonation })).to.throw(
      TypeError,
      'features.clientCredentials.enabled must be true',
    )
  })

  it('after: starts', async () => {
    const { features } = await snippets.load(CLIENTS_SECTION, 1)
    expect(start(features as Features).impersonation.enabled).to.equal(true)
  })

  it('after, with a function: names the client that may, and no other', async () => {
    const { featuresOf } = await snippets.load(CLIENTS_SECTION, 2)
    const asked: string[] = []
    const features = (featuresOf as (may: (id: string) => Promise<boolean>) => Features)(
      async (id) => asked.push(id) > 0 && id === 'backend',
    )
    expect(start(features).impersonation.enabled).to.equal(true)
    const { clients } = features.impersonation?.managementApi ?? {}
    const other = {
      client_id: 'other',
      client_secret: 'other-secret',
      grant_types: ['client_credentials'],
      redirect_uris: [],
      response_types: [],
    }
    const deployment = await deploy({
      clients: [other],
      impersonation: { managementApi: { clients } },
    })
    expect((await deployment.issue({ userId: 'alice' })).status).to.equal(201)
    const refused = await deployment.m2mToken({}, ['other', 'other-secret']).catch(String)
    expect(refused).to.include('invalid_target')
    expect(asked).to.include.members(['backend', 'other'])
    await deployment.close()
  })

  it('a guard without issuer or audience is an error', async () => {
    const { makeGuard } = await snippets.load('5. The guard checks its options')
    const make = makeGuard as (environment: NodeJS.ProcessEnv) => object
    const ISSUER = 'https://id.example.com/oidc'
    expect(() => make({ ISSUER })).to.throw('set ISSUER and AUDIENCE')
    expect(make({ ISSUER, AUDIENCE: 'https://api.example.com' })).to.have.property('koa')
  })
})

function named({ impersonation }: Features) {
  return { ...impersonation?.managementApi, clients: ['backend'] }
}

function start(features: Features): Provider {
  return new Provider('https://id.example.com/oidc', {
    adapter: createMemoryAdapter(),
    jwks: { keys: [signingKey] },
    features: { ...features, devInteractions: { enabled: false } },
  })
}
