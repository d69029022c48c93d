import { expect } from 'chai'
import { authorizationUrl } from '../../example-provider/demo/commands.ts'
import { listen, OWN_SECRETS, send, start } from './support.ts'

async function freePort(): Promise<string> {
  const free = await listen(() => {})
  await free.close()
  return new URL(free.url).port
}

describe('example provider: server', () => {
  it('is reached by name and by address', async () => {
    const example = await start()
    const { port } = new URL(example.url)
    expect(example.url).to.equal(`http://localhost:${port}`)
    for (const base of [example.url, `http://127.0.0.1:${port}`]) {
      expect((await send(`${base}/oidc/jwks`)).status).to.equal(200)
      expect((await send(`${base}/`, { redirect: 'follow' })).status).to.equal(200)
    }
    await example.close()
  })

  it('names itself by BASE_URL, through whatever address or forged header a request came', async () => {
    const PORT = await freePort()
    const example = await start({ ...OWN_SECRETS, BASE_URL: 'https://id.example.com', PORT })
    expect(example.url).to.equal('https://id.example.com')
    const headers = { 'x-forwarded-host': 'evil.example.com', 'x-forwarded-proto': 'http' }
    const { body } = await send(`http://127.0.0.1:${PORT}/oidc/.well-known/openid-configuration`, {
      headers,
    })
    for (const [name, value] of Object.entries(body)) {
      if (/^issuer$|_endpoint$|_uri$/.test(name)) {
        expect(value, name).to.match(/^https:\/\/id\.example\.com\/oidc/)
      }
    }
    await example.close()
  })

  it('sets secure cookies under https', async () => {
    const PORT = await freePort()
    const example = await start({ ...OWN_SECRETS, BASE_URL: 'https://id.example.com', PORT })
    const url = authorizationUrl('https://id.example.com')
    const { status, headers } = await send(
      url.replace('https://id.example.com', `http://127.0.0.1:${PORT}`),
    )
    await example.close()
    expect(status).to.equal(303)
    const cookies = headers.getSetCookie()
    expect(cookies).to.have.length.above(1)
    for (const cookie of cookies) expect(cookie).to.match(/; secure/i)
  })

  it('lists what it offers: ES256 alone, codes alone, token exchange', async () => {
    const example = await start()
    const { body } = await send(`${example.url}/oidc/.well-known/openid-configuration`)
    await example.close()
    expect(body.response_types_supported).to.deep.equal(['code'])
    expect(body.id_token_signing_alg_values_supported).to.deep.equal(['ES256'])
    expect(body.grant_types_supported).to.include('urn:ietf:params:oauth:grant-type:token-exchange')
    expect(body).to.include.keys(
      'introspection_endpoint',
      'revocation_endpoint',
      'userinfo_endpoint',
    )
  })

  it('answers 404 as JSON, with the headers that every answer has', async () => {
    const example = await start()
    const { status, headers, body } = await send(`${example.url}/nothing`)
    await example.close()
    expect([status, body.error]).to.deep.equal([404, 'not_found'])
    expect(headers.get('x-content-type-options')).to.equal('nosniff')
    expect(headers.get('content-security-policy')).to.include("default-src 'none'")
  })

  it('can be closed twice', async () => {
    const example = await start()
    await example.close()
    await example.close()
  })
})
