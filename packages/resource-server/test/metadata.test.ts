import { expect } from 'chai'
import { resourceServer } from '../src/index.ts'
import { refusal } from './refusal.ts'

const issuer = 'https://id.example.com/oidc'
const audience = 'https://api.example.com/orders'
const path = '/.well-known/oauth-protected-resource/orders'

async function challenge(api: ReturnType<typeof resourceServer>): Promise<string> {
  return (await refusal(api.authenticate(undefined))).challenge('api')
}

/** Sends a request without a token to the Koa middleware of the guard. */
async function ask(api: ReturnType<typeof resourceServer>, method: string, url: string) {
  const answer = { status: 200, body: undefined as unknown, headers: {} as object, passed: false }
  const ctx = {
    req: { method, url, headers: {} },
    res: {},
    originalUrl: url,
    state: {},
    set: (field: string, value: string) => Object.assign(answer.headers, { [field]: value }),
  }
  const target = Object.assign(answer, ctx)
  await api.koa()(target as never, async () => {
    answer.passed = true
  })
  return target
}

describe('RFC 9728: the metadata of an API', () => {
  it('are named in every challenge, where another server has them', async () => {
    const url = 'https://api.example.com/metadata'
    const api = resourceServer({ issuer, audience, resourceMetadata: url })
    expect(await challenge(api)).to.equal(`Bearer realm="api", resource_metadata="${url}"`)
    expect(api.metadata).to.deep.equal({ url })
    expect(await challenge(resourceServer({ issuer, audience }))).to.equal('Bearer realm="api"')
  })

  it('are served by the guard without a token, and follow its options', async () => {
    const api = resourceServer({
      issuer,
      audience,
      dPoP: { baseUrl: 'https://api.example.com', algorithms: ['ES256'] },
      mTLS: { getCertificate: () => undefined },
      resourceMetadata: { scopes: ['orders:read'] },
    })
    const resource_metadata = `resource_metadata="https://api.example.com${path}"`
    expect(await challenge(api)).to.equal(
      `Bearer realm="api", ${resource_metadata}, DPoP realm="api", algs="ES256", ${resource_metadata}`,
    )
    const served = await ask(api, 'GET', `${path}?again`)
    expect(served).to.include({ status: 200, passed: false })
    expect(served.headers).to.deep.equal({
      'Content-Type': 'application/json',
      'Cache-Control': 'public, max-age=300',
      'Access-Control-Allow-Origin': '*',
    })
    const head = await ask(api, 'HEAD', path)
    expect([head.passed, head.headers]).to.deep.equal([false, served.headers])
    expect(JSON.parse(String(served.body))).to.deep.equal({
      resource: audience,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      scopes_supported: ['orders:read'],
      dpop_signing_alg_values_supported: ['ES256'],
      tls_client_certificate_bound_access_tokens: true,
    })
  })

  it('of an API without a path have a path without a slash at its end: RFC 9728, section 3.1', async () => {
    const wellKnown = '/.well-known/oauth-protected-resource'
    for (const origin of ['https://api.example.com', 'https://api.example.com/']) {
      const api = resourceServer({ issuer, audience: origin, resourceMetadata: {} })
      expect(api.metadata).to.deep.include({
        url: `https://api.example.com${wellKnown}`,
        path: wellKnown,
      })
      const { body } = await ask(api, 'GET', wellKnown)
      expect(JSON.parse(String(body))).to.include({ resource: origin })
    }
  })

  it('open nothing else: another path or method needs a token', async () => {
    const api = resourceServer({ issuer, audience, resourceMetadata: { path: '/about' } })
    for (const [method, url] of [
      ['POST', '/about'],
      ['GET', '/about/orders'],
      ['GET', '/orders?/about'],
      ['GET', path],
    ] as const) {
      expect(await ask(api, method, url), url).to.include({ status: 401, passed: false })
    }
  })

  it('are refused at the start where they are wrong', () => {
    for (const wrong of [
      '/relative',
      'ftp://x',
      'https://x.example/"',
      { path: 'about' },
      { scope: [] },
      { scopes: [1] },
    ]) {
      const options = { issuer, audience, resourceMetadata: wrong as string }
      expect(() => resourceServer(options)).to.throw(TypeError, 'resourceServer.resourceMetadata')
    }
    for (const [other, message] of [
      ['orders', 'audience is no http or https URL'],
      [`${audience}?tenant=1`, 'without a query'],
    ] as const) {
      const options = { issuer, audience: other, resourceMetadata: {} }
      expect(() => resourceServer(options)).to.throw(TypeError, message)
    }
  })
})
