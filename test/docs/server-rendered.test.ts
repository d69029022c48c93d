import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { startTestProvider } from '../../packages/testing/src/index.ts'
import { expectAnswer } from '../support/http.ts'
import { shared } from '../support/shared.ts'
import { Browser } from './browser-by-hand.ts'
import { snippetsOf } from './documents.ts'
import { CONSOLE, serverRendered } from './server-rendered-app.ts'

for (const framework of ['Express', 'Hono'] as const) {
  describe(`docs/server-rendered.md with ${framework}`, () => {
    const shop = shared(() => serverRendered({ framework }))

    /** A browser in which an operator is signed in at the provider. */
    async function operator(sub = 'olivia'): Promise<Browser> {
      const browser = new Browser()
      await shop.signIn(browser, sub)
      return browser
    }

    it('acts as the page says, keeps the token from scripts, URLs and logs, and ends at the provider', async () => {
      const olivia = await operator()
      const token = await shop.subjectToken()
      const page = await shop.handOver(olivia, token)
      expect([page.url, page.status]).to.deep.equal([`${shop.origin}/orders`, 200])
      expect(page.text).to.match(/<bdi>olivia<\/bdi> acts as <bdi>alice<\/bdi>/)
      expect(page.text).to.include('Ticket <bdi>SUP-123</bdi>').and.to.include('Look only')
      expect(page.text).to.include('<li>beans of alice, seen by olivia</li>')
      expect(page.headers.get('cache-control')).to.equal('no-store')
      const set = olivia.setCookies.filter((line) => line.startsWith('__Host-'))
      for (const line of set) expect(line).to.match(/; HttpOnly; Secure; SameSite=Lax$/)
      const cookie = olivia.cookies(shop.origin)
      expect(cookie).to.match(/^__Host-impersonation=[^;]+$/)
      expect([...set, ...olivia.urls, shop.log()].join()).not.to.include(token)

      const ended = await shop.pressEnd(olivia)
      const words = 'Acting has ended. <bdi>olivia</bdi> acted as <bdi>alice</bdi>.'
      expect(ended.text).to.include(words)
      expect(olivia.cookies(shop.origin)).to.equal('')
      // A copy of the cookie is worth nothing.
      await expectAnswer(fetch(`${shop.origin}/orders`, { headers: { cookie } }), 401)
    })

    it('says that it is over when it has ended elsewhere, and shows a hostile name as text', async () => {
      const olivia = await operator()
      const page = await shop.handOver(olivia, await shop.subjectToken('<b>eve'))
      expect(page.text).to.include('<bdi>&lt;b&gt;eve</bdi>')
      await shop.deployment.provider.impersonation.endAll({ actor: 'olivia' })
      shop.passTime(8)
      const over = await olivia.get(`${shop.origin}/orders`)
      expect(over.status).to.equal(401)
      expect(over.text).to.include('<bdi>olivia</bdi> acted as <bdi>&lt;b&gt;eve</bdi>')
      expect(olivia.cookies(shop.origin)).to.equal('')
    })

    it('refuses an End that no page of its own sends', async () => {
      const olivia = await operator()
      await shop.handOver(olivia, await shop.subjectToken())
      const cookie = olivia.cookies(shop.origin)
      const end = async (headers: Record<string, string>) => {
        const init = { method: 'POST', headers: { cookie, ...headers } }
        return (await fetch(`${shop.origin}/impersonation/end`, init)).status
      }
      for (const headers of [
        {},
        { origin: 'https://evil.example' },
        { origin: CONSOLE },
        { origin: 'null', 'sec-fetch-site': 'cross-site' },
        { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'none' },
      ]) {
        expect(await end(headers), JSON.stringify(headers)).to.equal(403)
      }
      await expectAnswer(olivia.get(`${shop.origin}/orders`), 200)
      // A page with `Referrer-Policy: no-referrer` sends `null`.
      expect(await end({ origin: 'null', 'sec-fetch-site': 'same-origin' })).to.equal(200)
    })

    it('refuses another operator than the one who may act, and a form that was used, in the same words as an unknown one', async () => {
      const mallory = await operator('mallory')
      const token = await shop.subjectToken()
      const page = await shop.handOver(mallory, token)
      expect(page.status).to.equal(403)
      expect(page.text).to.include('is for another operator or another application.')
      expect(page.text).to.include('You are signed in as <bdi>mallory</bdi>.')
      expect(mallory.cookies(shop.origin)).to.equal('')
      // The subject token is still olivia's.
      await expectAnswer(shop.handOver(await operator(), token), 200)
      const again = await shop.handOver(await operator(), token)
      const unknown = await shop.handOver(await operator(), 'x'.repeat(43))
      expect([again.status, again.text]).to.deep.equal([403, unknown.text])
    })

    it('takes the form from the back office alone, and a callback from the browser that began, once', async () => {
      const olivia = await operator()
      const impersonation = await shop.subjectToken()
      for (const origin of ['https://evil.example', 'null', shop.origin, undefined]) {
        const page = await olivia.post(`${shop.origin}/impersonation`, { impersonation }, origin)
        expect(page.status, origin).to.equal(403)
      }
      const isCallback = (url: string) => url.startsWith(`${shop.origin}/impersonation?`)
      const begun = await shop.handOver(olivia, impersonation, isCallback)
      const other = new URL(begun.url)
      other.searchParams.set('state', 'another')
      await expectAnswer((await operator()).get(begun.url), 400)
      await expectAnswer(olivia.get(other.href), 400)
      // Neither has used it up, nor stopped the one that was begun.
      await expectAnswer(olivia.get(begun.url), 200)
      await expectAnswer(olivia.get(begun.url), 400)
    })

    it('says that the API cannot be reached, and keeps the End', async () => {
      const olivia = await operator()
      await shop.handOver(olivia, await shop.subjectToken())
      await shop.stopApi()
      const page = await olivia.get(`${shop.origin}/orders`)
      expect(page.status).to.equal(502)
      expect(page.text).to.include('The orders cannot be read.').and.to.include('<bdi>olivia</bdi>')
      expect((await shop.pressEnd(olivia)).text).to.include('Acting has ended.')
    })
  })
}

describe('docs/server-rendered.md', () => {
  it('says how to install the kit, and what it needs', async () => {
    const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
    const text = await read('docs/server-rendered.md')
    const installed = /^npm install (.+)$/m.exec(text)?.[1]?.split(' ')
    const { name, peerDependencies, peerDependenciesMeta } = JSON.parse(
      await read('packages/browser/package.json'),
    )
    const needed = Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer])
    expect(installed).to.have.members([name, ...needed])
  })
  it('has a page that calls no API, and learns within 8 seconds of an end elsewhere', async () => {
    await using snippets = await snippetsOf('server-rendered.md', 'js')
    const provider = await startTestProvider()
    const asked = { userId: 'alice', actor: 'olivia', resource: 'https://shop.example.com/' }
    const { env } = process
    process.env = { ...env, ISSUER: provider.issuer, RESOURCE: asked.resource }
    const { stillActs } = await snippets.load('A shop with its own session cookie, and no API')
    process.env = env
    const ask = stillActs as (acting: { readonly accessToken: string }) => Promise<boolean>
    const acting = await provider.issueTestImpersonation(asked)
    expect(await ask(acting)).to.equal(true)
    await acting.end()
    provider.advance(8)
    expect(await ask(acting)).to.equal(false)
    const other = await provider.issueTestImpersonation(asked)
    provider.advance(60)
    const { fetch } = globalThis
    globalThis.fetch = () => Promise.reject(new Error('away'))
    const answer = await ask(other).catch(() => 'thrown')
    globalThis.fetch = fetch
    await provider.close()
    expect(answer).to.equal('thrown')
  })
})
