import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { authorizationUrl } from '../../example-provider/demo/commands.ts'
import { freePort } from '../adapters/servers.ts'
import { athOf, dpopKey } from '../support/dpop.ts'
import { Cookies } from './cookies.ts'
import {
  type Answer,
  exchange,
  issueDirectly,
  OWN_SECRETS,
  postForm,
  type Started,
  send,
  start,
} from './support.ts'

describe('what protects the example', function () {
  this.timeout(60_000)
  let example: Started
  before(async () => {
    example = await start()
  })
  after(() => example.close())

  const target = ({ headers }: Answer) => new URL(headers.get('location') ?? '', example.url)

  /** The sign-in page of a browser of its own. */
  async function beginSignIn() {
    const cookies = new Cookies()
    const page = target(await cookies.send(authorizationUrl(example.url))).href
    return { cookies, page }
  }

  it('a policy that allows no script, on every page; no page is stored', async () => {
    const { cookies, page } = await beginSignIn()
    for (const url of [example.url, `${example.url}/mail`, page, `${example.url}/nothing`]) {
      const { headers } = await cookies.send(url)
      const policy = headers.get('content-security-policy')?.split(';')
      expect(policy).to.include.members(["default-src 'none'", 'script-src', "base-uri 'none'"])
      expect(headers.get('cache-control')).to.equal('no-store')
      expect(headers.get('x-content-type-options')).to.equal('nosniff')
    }
    const shop = (await send(`${example.shopUrl}/`)).headers.get('content-security-policy')
    expect(shop?.split(';')).to.include.members(["script-src 'self'", "trusted-types 'none'"])
  })

  it('one origin: it is BASE_URL, whatever a request says, with secure cookies', async () => {
    const PORT = String(await freePort())
    const behind = await start({ ...OWN_SECRETS, BASE_URL: 'https://id.example.com', PORT })
    const forged = { 'x-forwarded-host': 'evil.example.com', 'x-forwarded-proto': 'http' }
    const at = (url: string) =>
      send(url.replace('https://id.example.com', `http://127.0.0.1:${PORT}`), { headers: forged })
    const { body } = await at('https://id.example.com/oidc/.well-known/openid-configuration')
    const { headers } = await at(authorizationUrl('https://id.example.com'))
    await behind.close()
    for (const [name, value] of Object.entries(body)) {
      if (/^issuer$|_endpoint$|_uri$/.test(name)) {
        expect(value, name).to.match(/^https:\/\/id\.example\.com\/oidc/)
      }
    }
    for (const cookie of headers.getSetCookie()) expect(cookie).to.match(/; secure; httponly/i)
  })

  it('pages at another name of this machine lead to the one that the provider knows', async () => {
    const { port } = new URL(example.url)
    const visit = async (host: string, path: string, accept = 'text/html,*/*') => {
      const { promise, resolve, reject } = Promise.withResolvers<string | undefined>()
      const headers = { host, accept }
      request({ host: '127.0.0.1', port, path, headers }, (response) => {
        response.resume()
        resolve(response.headers.location)
      })
        .on('error', reject)
        .end()
      return promise
    }
    const path = '/console/act?user=alice'
    for (const name of ['127.0.0.1', '[::1]', '127.1']) {
      expect(await visit(`${name}:${port}`, path)).to.equal(example.url + path)
    }
    const outside = await visit(`127.0.0.1:${port}`, '//elsewhere.example/')
    expect(new URL(String(outside)).origin).to.equal(example.url)
    for (const host of ['elsewhere.example', `localhost:${port}`, '127.0.0.1', ':']) {
      expect(await visit(host, path), host).to.equal(undefined)
    }
    expect(await visit(`127.0.0.1:${port}`, path, '*/*'), 'no page').to.equal(undefined)
  })

  it('compressed bodies are refused, and end nothing', async () => {
    const whole = gzipSync(Buffer.alloc(40_000, 'x')).subarray(0, -8)
    const body = Buffer.concat([whole, Buffer.alloc(100_000, 'garbage')])
    for (const [method, path, type] of [
      ['POST', '/sign-in/some-uid', 'x-www-form-urlencoded'],
      ['POST', '/support/impersonations', 'json'],
      ['PATCH', '/orders/A-1003', 'json'],
    ] as const) {
      const headers = { 'content-type': `application/${type}`, 'content-encoding': 'gzip' }
      const answer = await send(example.url + path, { method, headers, body })
      expect(answer.status, path).to.equal(415)
      expect(answer.headers.get('accept-encoding')).to.equal('identity')
    }
    expect((await send(example.url)).status).to.equal(200)
  })

  it('a proof of a key (DPoP) works once at the orders API, of twenty at the same time', async () => {
    const key = await dpopKey()
    const { body: issued } = await issueDirectly(example.url, { userId: 'alice' })
    const { body } = await exchange(example.url, issued.subjectToken, {
      dpop: await key.proof({ htm: 'POST', htu: `${example.url}/oidc/token` }),
    })
    const token = String(body.access_token)
    const htu = `${example.url}/orders`
    const dpop = await key.proof({ htm: 'GET', htu, ath: athOf(token) })
    const headers = { authorization: `DPoP ${token}`, dpop }
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(htu, { headers })))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).to.deep.equal([200, ...Array(19).fill(401)])
    // Nobody looks at an empty field.
    const orders = answers.find(({ status }) => status === 200)
    expect(orders?.body.email).to.equal('alice@example.com')
  })

  for (const site of ['cross-site', 'same-site']) {
    it(`a form of ${site} does not sign in, with the cookie and the right password`, async () => {
      const { cookies, page } = await beginSignIn()
      const fields = { login: 'olivia', password: 'demo-password' }
      const init = { method: 'POST', body: new URLSearchParams(fields) }
      const forged = await cookies.send(page, { ...init, headers: { 'sec-fetch-site': site } })
      expect([forged.status, forged.headers.get('location')]).to.deep.equal([403, null])
      const own = await cookies.send(page, {
        ...init,
        headers: { 'sec-fetch-site': 'same-origin' },
      })
      expect(own.status).to.equal(303)
    })
  }

  it('twenty wrong passwords are let through, all at once, and no more', async () => {
    const { cookies, page } = await beginSignIn()
    const guess = (login: string, password: string) => cookies.submit(page, { login, password })
    const answers = await Promise.all(Array.from({ length: 25 }, () => guess('oscar', 'wrong')))
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).to.deep.equal([...Array(20).fill(401), ...Array(5).fill(429)])
    const right = await guess(' OSCAR ', 'demo-password')
    expect(right.status).to.equal(429)
    expect(Number(right.headers.get('retry-after'))).to.be.within(1, 600)
    expect((await guess('alice', 'demo-password')).status).to.equal(303)
  })

  it('pages of the shop alone may call the orders, and never with cookies', async () => {
    const ask = (method: string, path: string, origin = example.shopUrl ?? '') =>
      send(example.url + path, {
        method,
        headers: { origin, 'access-control-request-method': 'PATCH' },
      })
    for (const method of ['OPTIONS', 'GET']) {
      const { headers } = await ask(method, '/orders/A-1')
      expect(headers.get('access-control-allow-origin')).to.equal(example.shopUrl)
      expect(headers.get('access-control-allow-credentials')).to.equal(null)
      for (const [path, origin] of [
        ['/orders/A-1', 'https://elsewhere.example'],
        ['/support/impersonations'],
        ['/console/api/me'],
        ['/'],
      ] as const) {
        const other = await ask(method, path, origin)
        expect(other.headers.get('access-control-allow-origin'), path).to.equal(null)
      }
    }
    const fields = { grant_type: 'authorization_code', client_id: 'support-console', code: 'x' }
    const { status, body } = await postForm(`${example.url}/oidc/token`, fields, {
      origin: 'https://elsewhere.example',
    })
    expect([status, body.error]).to.deep.equal([400, 'invalid_request'])
  })
})
