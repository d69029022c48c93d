import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { Browser } from '../../example-provider/demo/browser.ts'
import { createShop } from '../../example-provider/shop/server.ts'
import {
  type Answer,
  type Example,
  exchange,
  listen,
  postForm,
  postJson,
  send,
  signIn,
  start,
} from './support.ts'

/** Where the browser finds the shop. These tests ask the provider and the API alone. */
const SHOP = 'http://127.0.0.1:9'

const REQUEST = { userId: 'alice', reason: 'Order lost', ticketId: 'SUP-1' }

describe('example provider: the client of the shop', () => {
  let example: Example
  let olivia: string
  let oliviaInShop: string

  before(async () => {
    example = await start({ SHOP_URL: SHOP })
    olivia = await signIn(example.url)
    oliviaInShop = await signInToShop('olivia')
  })
  after(() => example.close())

  /** The access token of a person who signs in to the shop: opaque, or for the orders API. */
  async function signInToShop(login: string, scope = 'openid'): Promise<string> {
    const redirectUri = `${SHOP}/signed-in`
    const verifier = randomBytes(32).toString('base64url')
    const resource = scope === 'openid' ? undefined : { resource: `${example.url}/orders` }
    const url = new URL(`${example.url}/oidc/auth`)
    url.search = new URLSearchParams({
      client_id: 'shop',
      response_type: 'code',
      redirect_uri: redirectUri,
      scope,
      ...resource,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString()
    const end = await new Browser(example.url).signIn(url, login, 'demo-password', redirectUri)
    const { body } = await postForm(`${example.url}/oidc/token`, {
      grant_type: 'authorization_code',
      client_id: 'shop',
      code: end.searchParams.get('code') ?? '',
      redirect_uri: redirectUri,
      code_verifier: verifier,
      ...resource,
    })
    return String(body.access_token)
  }

  async function subjectToken(more: object = {}): Promise<string> {
    const asked = await postJson(
      `${example.url}/support/impersonations`,
      { ...REQUEST, ...more },
      olivia,
    )
    expect(asked.status).to.equal(201)
    return String(asked.body.subjectToken)
  }

  const inShop = (token: string): Promise<Answer> =>
    exchange(example.url, token, oliviaInShop, { client_id: 'shop' })

  it('alone exchanges a subject token for the shop, which a refusal elsewhere does not use up', async () => {
    const token = await subjectToken({ application: 'shop' })
    const elsewhere = await exchange(example.url, token, olivia)
    expect([elsewhere.status, elsewhere.body.error]).to.deep.equal([400, 'invalid_request'])
    expect((await inShop(token)).status).to.equal(200)
  })

  it('exchanges one that is for no application, as the console does', async () => {
    expect((await inShop(await subjectToken())).status).to.equal(200)
    expect((await exchange(example.url, await subjectToken(), olivia)).status).to.equal(200)
  })

  it('is the only application that can be asked for', async () => {
    for (const application of ['support-console', 'Shop', '', null, ['shop']]) {
      const { status } = await postJson(
        `${example.url}/support/impersonations`,
        { ...REQUEST, application },
        olivia,
      )
      expect(status, JSON.stringify(application)).to.equal(400)
    }
  })

  it('gets no token that the support backend, the console or the account takes', async () => {
    const orders = 'openid orders:read orders:write'
    const tokens = [
      oliviaInShop,
      await signInToShop('alice'),
      await signInToShop('olivia', orders),
      await signInToShop('alice', orders),
      String((await inShop(await subjectToken())).body.access_token),
    ]
    for (const token of tokens) {
      const headers = { authorization: `Bearer ${token}` }
      const answers = [
        await postJson(`${example.url}/support/impersonations`, REQUEST, token),
        await send(`${example.url}/console/api/me`, { headers }),
        await send(`${example.url}/console/api/audit`, { headers }),
        await send(`${example.url}/account/api/impersonations`, { headers }),
        await postJson(`${example.url}/account/api/end`, { id: 'x' }, token),
      ]
      for (const { status, body } of answers) {
        expect([status, body.error]).to.deep.equal([401, 'invalid_token'])
      }
    }
  })

  describe('in the browser', () => {
    const ask = (path: string, origin: string, method = 'GET') =>
      send(example.url + path, { method, headers: { origin } })

    it('may call the orders API with a token, and never with cookies', async () => {
      for (const path of ['/orders', '/orders/A-1', '/orders/email']) {
        const { status, headers } = await ask(path, SHOP, 'OPTIONS')
        expect(status).to.equal(204)
        expect(headers.get('access-control-allow-origin')).to.equal(SHOP)
        expect(headers.get('access-control-allow-credentials')).to.equal(null)
        expect(headers.get('vary')).to.match(/\bOrigin\b/)
      }
      const refused = await ask('/orders', SHOP)
      expect(refused.status).to.equal(401)
      expect(refused.headers.get('access-control-expose-headers')).to.include('WWW-Authenticate')
    })

    it('may call nothing else across origins', async () => {
      const others = ['/ordersx', '/Orders', '/support/me', '/account/impersonations', '/api', '/']
      for (const path of others) {
        for (const method of ['GET', 'OPTIONS']) {
          const { headers } = await ask(path, SHOP, method)
          expect(headers.get('access-control-allow-origin'), path).to.equal(null)
        }
      }
    })

    it('is the only origin that may', async () => {
      for (const origin of [
        'null',
        'https://elsewhere.example',
        `${SHOP}.elsewhere.example`,
        `${SHOP}/`,
        'http://localhost:9',
        'https://127.0.0.1:9',
      ]) {
        for (const method of ['GET', 'OPTIONS']) {
          const { headers } = await ask('/orders', origin, method)
          expect(headers.get('access-control-allow-origin'), origin).to.equal(null)
          expect(headers.get('vary')).to.match(/\bOrigin\b/)
        }
      }
      const exchanged = (origin: string) =>
        postForm(`${example.url}/oidc/token`, { client_id: 'shop' }, { origin })
      expect((await exchanged(SHOP)).headers.get('access-control-allow-origin')).to.equal(SHOP)
      const { headers } = await exchanged(example.url)
      expect(headers.get('access-control-allow-origin')).to.equal(null)
    })
  })
})

describe('example provider: the server of the shop', () => {
  let shop: Example

  before(async () => {
    const app = await createShop({
      issuer: 'https://id.example/oidc',
      orders: 'https://api.example/orders?a="><script>&b=$&',
      console: 'https://id.example/console?a="><script>&b=$&',
    })
    shop = await listen(app.callback())
  })
  after(() => shop.close())

  it('serves its own files and no other, whatever the path', async () => {
    expect((await raw('/shop.js')).status).to.equal(200)
    for (const path of [
      '/../server.ts',
      '/pages/../../server.ts',
      '/%2e%2e/server.ts',
      '/..%2fserver.ts',
      '/modules/oauth4webapi/../../../package.json',
      '/modules/oauth4webapi/index.d.ts',
      '/tsconfig.json',
      '/shop.html',
      '//shop.js',
      '/__proto__',
      '/constructor',
    ]) {
      expect((await raw(path)).status, path).to.equal(404)
    }
  })

  it('has every module that the page imports, and what those import', async () => {
    const { body: page } = await raw('/')
    const [, map = ''] = /<script type="importmap">(.*?)<\/script>/s.exec(page) ?? []
    const { imports } = JSON.parse(map)
    const paths = new Set<string>(['/shop.js', ...Object.values<string>(imports)])
    for (const path of paths) {
      const { status, body } = await raw(path)
      expect(status, path).to.equal(200)
      for (const [, to = ''] of body.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*['"](\.[^'"]+)['"]/g)) {
        paths.add(new URL(to, `http://shop${path}`).pathname)
      }
    }
    expect(paths.size).to.be.above(15)
  })

  it('has one page, with addresses that are attributes, under a policy that names them', async () => {
    for (const path of ['/', '/signed-in?code=x', '/acting']) {
      const { status, headers, body } = await raw(path)
      expect(status).to.equal(200)
      expect(body).to.include(
        'data-orders="https://api.example/orders?a=%22%3E%3Cscript%3E&amp;b=$&amp;"',
      )
      const policy = String(headers['content-security-policy'])
      expect(policy).to.include(';connect-src https://id.example https://api.example;')
      expect(policy).to.include(";frame-ancestors 'none';")
      const [, map = ''] = /<script type="importmap">(.*?)<\/script>/s.exec(body) ?? []
      expect(policy).to.include(`'sha256-${createHash('sha256').update(map).digest('base64')}'`)
      expect(headers['cross-origin-opener-policy']).to.equal('same-origin')
      expect(headers['referrer-policy']).to.equal('no-referrer')
    }
  })

  it('takes no other method', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      expect((await raw('/', method)).status).to.equal(405)
    }
  })

  /** With the path as it is: `fetch` would resolve the dots in it. */
  async function raw(path: string, method = 'GET') {
    const { hostname, port } = new URL(shop.url)
    const { promise, resolve, reject } =
      Promise.withResolvers<import('node:http').IncomingMessage>()
    request({ hostname, port, path, method }, resolve).on('error', reject).end()
    const response = await promise
    return { status: response.statusCode, headers: response.headers, body: await text(response) }
  }
})
