import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { shared } from '../../../../../test/support/shared.ts'
import { deploy } from '../../support/deployment.ts'
import { FRENCH } from '../../support/french.ts'

const sourcesIn = (page: string) =>
  [...page.matchAll(/(?:src|href)="([^"]+\/assets\/[^"]+)"/g)].map(([, url]) => String(url))

describe('the pages of the console', () => {
  const deployment = shared(() => deploy({ console: { words: { fr: FRENCH, 'pt-BR': {} } } }))

  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    // `identity`: fetch would decode the others by itself.
    fetch(deployment.url + path, { method, headers: { 'accept-encoding': 'identity', ...headers } })
  const firstPage = async (languages = 'en') =>
    (await deployment.browse('grace', '', { 'accept-language': languages })).text

  it('answer below their path alone, and HEAD as GET', async () => {
    for (const path of ['/consoles', '/CONSOLE', '/other']) {
      expect((await ask(path)).headers.get('x-frame-options'), path).to.equal(null)
    }
    const cookie = `support-console=${await deployment.tokenOf('grace')}`
    const head = await ask('/console/rules', { cookie, accept: 'text/html' }, 'HEAD')
    expect([head.status, await head.text()]).to.deep.equal([200, ''])
    const nothing = await deployment.browse('grace', '/audits')
    expect(nothing.status).to.equal(404)
    expect(nothing.text).to.include('There is no such page')
  })

  it('have at most 25 KB, compressed, with all that the first page loads', async () => {
    const page = await firstPage()
    const assets = sourcesIn(page).map(async (path) =>
      gzipSync(await (await ask(path)).arrayBuffer()),
    )
    const sizes = [gzipSync(page), ...(await Promise.all(assets))].map(({ length }) => length)
    expect(sizes).to.have.length(4)
    const sum = sizes.reduce((total, size) => total + size, 0)
    expect(sum, sizes.join(' + ')).to.be.at.most(25_000)
  })

  it('speak the language that the browser asks for, one that the deployment added, or English', async () => {
    const langOf = async (languages: string) =>
      /<html lang="([\w-]+)"/.exec(await firstPage(languages))?.[1]
    expect(await langOf('de-CH,de;q=0.9,en;q=0.8')).to.equal('de')
    expect(await langOf('it,en;q=0.5,de;q=0.3')).to.equal('en')
    expect(await langOf('it')).to.equal('en')
    expect(await langOf('pt')).to.equal('pt-BR')
    const french = await firstPage('fr-CA,de;q=0.9')
    expect(french).to.include('<html lang="fr"').and.include('Console du support')
    expect(french, 'what is missing is English').to.include('Sign out')
  })

  it('name each asset after its content, so that browsers keep it for ever', async () => {
    const urls = sourcesIn(await firstPage())
    expect(urls).to.have.length(3)
    for (const url of urls) {
      expect(url).to.match(/^\/console\/assets\/[a-z]+-[\w-]{12}\.(?:css|js|svg)$/)
      const { headers, status } = await ask(url)
      expect(status, url).to.equal(200)
      expect(headers.get('cache-control')).to.equal('public, max-age=31536000, immutable')
      expect(headers.get('x-content-type-options')).to.equal('nosniff')
      expect(Number(headers.get('content-length'))).to.be.greaterThan(100)
    }
  })

  it('send assets compressed, as far as the browser can read that', async () => {
    const script = sourcesIn(await firstPage()).find((url) => url.endsWith('.js')) ?? ''
    const plain = Buffer.from(await (await ask(script)).arrayBuffer())
    const sizes: number[] = [plain.length]
    for (const encoding of ['gzip', 'br']) {
      const response = await ask(script, { 'accept-encoding': encoding })
      expect(response.headers.get('content-encoding')).to.equal(encoding)
      expect(response.headers.get('vary')).to.contain('Accept-Encoding')
      sizes.push(Number(response.headers.get('content-length')))
      // fetch has decoded it.
      expect(Buffer.from(await response.arrayBuffer()).equals(plain)).to.equal(true)
    }
    expect(sizes[0]).to.be.greaterThan(2 * Number(sizes[1]))
    expect(sizes[1]).to.be.greaterThan(Number(sizes[2]))
  })

  it('have no other file, and do not let a browser keep that answer', async () => {
    for (const name of ['style.css', 'page-000000000000.js', '..%2f..%2fpackage.json', '']) {
      const response = await ask(`/console/assets/${name}`)
      expect(response.status, name).to.equal(404)
      expect(response.headers.get('cache-control')).to.equal('no-store')
    }
  })
})
