import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import Koa from 'koa'
import { Provider } from 'oidc-provider'
import type { Sentences } from '../../../src/kernel/sentence.ts'
import { createAssets } from '../../../src/web/page/assets.ts'
import { consolePages } from '../../../src/web/page/pages.ts'
import { bundleSource } from '../../../src/web/page/source.ts'
import { createLanguages } from '../../../src/web/words/languages.ts'
import { FRENCH } from '../../support/french.ts'

const ISSUER = 'https://login.example.com/oidc'

interface Site extends AsyncDisposable {
  ask(path: string, init?: RequestInit): Promise<Response>
}

/** An application with both pages, and an answer of its own for what they leave to others. */
async function site(
  path = '/console',
  language = 'en',
  words: Record<string, Sentences> = {},
): Promise<Site> {
  const provider = new Provider(ISSUER, { clients: [] })
  const languages = createLanguages(words, language, () => {})
  const shared = { languages, assets: createAssets(languages), provider }
  const app = new Koa()
  app.use(consolePages({ ...shared, path, clientId: 'support-console' }))
  app.use((ctx) => {
    ctx.status = 418
  })
  const server = createServer(app.callback())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    // `identity`: fetch would decode the others by itself.
    ask: (to, init = {}) =>
      fetch(`http://127.0.0.1:${port}${to}`, {
        ...init,
        headers: { 'accept-encoding': 'identity', ...init.headers },
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const sourcesIn = (page: string) =>
  [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => String(url))

describe('the page of the console', function () {
  this.timeout(30_000)
  let shared: Site
  before(async () => {
    shared = await site()
  })
  after(() => shared[Symbol.asyncDispose]())

  it('is answered for its path and for every page below it, and is not stored', async () => {
    for (const path of ['/console', '/console/', '/console/audit/a%2Fb', '/console/apis?a=b']) {
      const response = await shared.ask(path)
      expect(response.status, path).to.equal(200)
      expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8')
      expect(response.headers.get('cache-control')).to.equal('no-store')
    }
  })

  it('leaves the API, other paths and other methods to others', async () => {
    for (const path of [
      '/',
      '/consoles',
      '/console/api',
      '/console/api/me',
      '/oidc/auth',
      '/CONSOLE',
    ]) {
      expect((await shared.ask(path)).status, path).to.equal(418)
    }
    expect((await shared.ask('/console', { method: 'POST' })).status).to.equal(418)
    expect((await shared.ask('/console', { method: 'HEAD' })).status).to.equal(200)
  })

  it('allows no inline script or style, no other origin but the issuer, and no frame', async () => {
    const response = await shared.ask('/console')
    expect(response.headers.get('content-security-policy')?.split(';')).to.have.members([
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self'",
      "script-src 'self'",
      "connect-src 'self' https://login.example.com",
      "form-action 'none'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
    expect(response.headers.get('referrer-policy')).to.equal('no-referrer')
    expect(response.headers.get('x-content-type-options')).to.equal('nosniff')
    expect(response.headers.get('x-frame-options')).to.equal('DENY')
    expect(response.headers.get('cross-origin-opener-policy')).to.equal('same-origin')
    expect(await response.text()).not.to.match(/<style|style=|<script(?![^>]* src=)|\son\w+=/)
  })

  it('has at most 90 KB, compressed, with all that its first page loads', async () => {
    const page = await (await shared.ask('/console')).text()
    const assets = sourcesIn(page).map(async (path) => {
      const response = await shared.ask(path)
      return gzipSync(await response.arrayBuffer()).length
    })
    const sizes = [gzipSync(page).length, ...(await Promise.all(assets))]
    expect(sizes).to.have.length(4)
    const sum = sizes.reduce((total, size) => total + size, 0)
    expect(sum, sizes.join(' + ')).to.be.at.most(90_000)
  })

  it('has no code that only the server needs', async () => {
    for (const [name, content] of await bundleSource()) {
      expect(Buffer.from(content).toString(), name).not.to.include('valibot')
    }
  })

  it('says where the provider is, so that the browser need not ask', async () => {
    const page = await (await shared.ask('/console')).text()
    const body = /<body ([^>]+)>/.exec(page)?.[1] ?? ''
    const data = [...body.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value])
    expect(Object.fromEntries(data)).to.eql({
      'data-path': '/console',
      'data-client-id': 'support-console',
      'data-issuer': ISSUER,
      'data-jwks-uri': 'https://login.example.com/oidc/jwks',
      'data-authorization-endpoint': `${ISSUER}/auth`,
      'data-token-endpoint': `${ISSUER}/token`,
      'data-end-session-endpoint': `${ISSUER}/session/end`,
    })
  })

  it('speaks the language that the browser asks for, and otherwise that of the option', async () => {
    const german = await site('/console', 'de')
    await using _ = german
    const langOf = async (of: Site, languages?: string) => {
      const headers = languages === undefined ? {} : { 'accept-language': languages }
      const response = await of.ask('/console', { headers })
      expect(response.headers.get('vary')).to.contain('Accept-Language')
      return /<html lang="([\w-]+)">/.exec(await response.text())?.[1]
    }
    expect(await langOf(shared, 'de-CH,de;q=0.9,en;q=0.8')).to.equal('de')
    expect(await langOf(shared, 'fr,en;q=0.5,de;q=0.3')).to.equal('en')
    expect(await langOf(shared, 'fr')).to.equal('en')
    expect(await langOf(german, 'fr')).to.equal('de')
    expect(await langOf(german, 'en-US')).to.equal('en')
  })

  it('speaks a language that the deployment added, in its script, too', async () => {
    await using french = await site('/console', 'en', { fr: FRENCH, 'pt-BR': {} })
    const pageIn = async (path: string, language: string) =>
      (await french.ask(path, { headers: { 'accept-language': language } })).text()
    const page = await pageIn('/console', 'fr-CA,de;q=0.9')
    expect(page).to.contain('<html lang="fr">').and.contain('<title>Console du support</title>')
    for (const path of ['/console']) {
      const [, script = ''] = sourcesIn(await pageIn(path, 'fr-CA'))
      const code = await (await french.ask(script)).text()
      expect(code).to.contain('Qui a agi en votre nom').and.not.contain('Who acted as you')
      expect(code, 'what is missing is English').to.contain('Sign in again')
    }
    expect(await pageIn('/console', 'pt')).to.contain('<html lang="pt-BR">')
    expect(await pageIn('/console', 'it,de;q=0.1')).to.contain('<html lang="de">')
  })

  it('names each asset after its content, so that browsers keep it for ever', async () => {
    const page = await (await shared.ask('/console/act')).text()
    const urls = sourcesIn(page)
    expect(urls).to.have.length(3)
    for (const url of urls) {
      expect(url).to.match(/^\/console\/assets\/[a-z-]+-[\w-]{12}\.(?:css|js|svg)$/)
      const response = await shared.ask(url)
      expect(response.status, url).to.equal(200)
      expect(response.headers.get('cache-control')).to.equal('public, max-age=31536000, immutable')
      expect(response.headers.get('x-content-type-options')).to.equal('nosniff')
      expect(Number(response.headers.get('content-length'))).to.be.greaterThan(100)
    }
  })

  it('sends assets compressed, as far as the browser can read that', async () => {
    const [, script = ''] = sourcesIn(await (await shared.ask('/console')).text())
    const plain = Buffer.from(await (await shared.ask(script)).arrayBuffer())
    const sizes: number[] = [plain.length]
    for (const encoding of ['gzip', 'br']) {
      const response = await shared.ask(script, { headers: { 'accept-encoding': encoding } })
      expect(response.headers.get('content-encoding')).to.equal(encoding)
      expect(response.headers.get('vary')).to.contain('Accept-Encoding')
      sizes.push(Number(response.headers.get('content-length')))
      // fetch has decoded it.
      expect(Buffer.from(await response.arrayBuffer()).equals(plain)).to.equal(true)
    }
    expect(sizes[0]).to.be.greaterThan(2.5 * Number(sizes[1]))
    expect(sizes[1]).to.be.greaterThan(Number(sizes[2]))
  })

  it('has no other file, and does not let a browser keep that answer', async () => {
    for (const name of ['style.css', 'console-000000000000.js', '..%2f..%2fpackage.json', '']) {
      const response = await shared.ask(`/console/assets/${name}`)
      expect(response.status, name).to.equal(404)
      expect(response.headers.get('cache-control')).to.equal('no-store')
    }
  })
})
