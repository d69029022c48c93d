import { expect } from 'chai'
import { startTestProvider, type TestProvider } from '../../packages/testing/src/index.ts'
import { type Snippets, snippetsOf } from './documents.ts'

const ASKED = { userId: 'alice', actor: 'olivia', resource: 'https://shop.example.com/' }

describe('docs/server-rendered.md: a page that calls no API', () => {
  let provider: TestProvider
  let snippets: Snippets
  let stillActs: (acting: { readonly accessToken: string }) => Promise<boolean>
  const { env } = process

  beforeEach(async () => {
    provider = await startTestProvider()
    snippets = await snippetsOf('server-rendered.md', 'js')
    process.env = { ...env, ISSUER: provider.issuer, RESOURCE: ASKED.resource }
    const module = await snippets.load('A page that calls no API')
    stillActs = module.stillActs as typeof stillActs
  })
  afterEach(async () => {
    process.env = env
    await provider.close()
    await snippets[Symbol.asyncDispose]()
  })

  it('learns within 8 seconds that the impersonation was ended elsewhere', async () => {
    const acting = await provider.issueTestImpersonation(ASKED)
    expect(await stillActs(acting)).to.equal(true)
    await acting.end()
    provider.advance(8)
    expect(await stillActs(acting)).to.equal(false)
  })

  it('learns that it has expired', async () => {
    const acting = await provider.issueTestImpersonation({ ...ASKED, expiresIn: 60 })
    provider.advance(66)
    expect(await stillActs(acting)).to.equal(false)
  })

  it('throws while that is not known', async () => {
    const acting = await provider.issueTestImpersonation(ASKED)
    await provider.close()
    const answer = await stillActs(acting).catch(() => 'thrown')
    expect(answer).to.equal('thrown')
  })
})
