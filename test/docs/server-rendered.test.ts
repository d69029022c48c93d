import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { Browser } from './browser-by-hand.ts'
import { CONSOLE, type ServerRendered, serverRendered } from './server-rendered-app.ts'

for (const framework of ['Express', 'Hono'] as const) {
  describe(`docs/server-rendered.md with ${framework}`, () => {
    let shop: ServerRendered

    before(async () => {
      shop = await serverRendered({ framework })
    })
    after(() => shop[Symbol.asyncDispose]())

    /** A browser in which an operator is signed in at the provider. */
    async function operator(sub = 'olivia'): Promise<Browser> {
      const browser = new Browser()
      await shop.signIn(browser, sub)
      return browser
    }

    it('acts: reads as the user, and shows who acts as whom, for which ticket, until when', async () => {
      const olivia = await operator()
      const page = await shop.handOver(olivia, await shop.subjectToken())
      expect(page.url).to.equal(`${shop.origin}/orders`)
      expect(page.status).to.equal(200)
      expect(page.text).to.match(/<bdi>olivia<\/bdi> acts as <bdi>alice<\/bdi>/)
      expect(page.text).to.include('Ticket <bdi>SUP-123</bdi>').and.to.include('Look only')
      expect(page.text).to.match(/<time datetime="[^"]+">Until \d\d:\d\d UTC<\/time>/)
      expect(page.text).to.include('<li>beans of alice, seen by olivia</li>')
      expect(page.headers.get('cache-control')).to.equal('no-store')
    })

    it('keeps the tokens from scripts, other sites, URLs and logs', async () => {
      const olivia = await operator()
      const token = await shop.subjectToken()
      await shop.handOver(olivia, token)
      const set = olivia.setCookies.filter((line) => line.startsWith('__Host-'))
      expect(set.length).to.be.at.least(3)
      for (const line of set) {
        expect(line).to.match(/; Path=\/; Max-Age=\d+; HttpOnly; Secure; SameSite=Lax$/)
        expect(line).not.to.include(token)
        expect(line.length).to.be.below(250)
      }
      expect(olivia.cookies(shop.origin)).to.match(/^__Host-impersonation=[^;]+$/)
      expect(olivia.urls.join()).not.to.include(token)
      expect(shop.log()).not.to.include(token)
    })

    it('ends it at the provider, and forgets it', async () => {
      const olivia = await operator()
      await shop.handOver(olivia, await shop.subjectToken())
      const cookie = olivia.cookies(shop.origin)
      const ended = await shop.pressEnd(olivia)
      expect(ended.status).to.equal(200)
      expect(ended.text).to.include(
        'Acting has ended. <bdi>olivia</bdi> acted as <bdi>alice</bdi>.',
      )
      expect(olivia.cookies(shop.origin)).to.equal('')
      expect((await olivia.get(`${shop.origin}/orders`)).status).to.equal(401)
      // A copy of the cookie is worth nothing.
      const copy = await fetch(`${shop.origin}/orders`, { headers: { cookie } })
      expect([copy.status, await copy.text()]).to.deep.include(401)
    })

    it('says that it is over when it has ended elsewhere', async () => {
      const olivia = await operator()
      await shop.handOver(olivia, await shop.subjectToken())
      await shop.deployment.provider.impersonation.endAll({ actor: 'olivia' })
      shop.passTime(8)
      const page = await olivia.get(`${shop.origin}/orders`)
      expect(page.status).to.equal(401)
      expect(page.text).to.include('<bdi>olivia</bdi> acted as <bdi>alice</bdi>')
      expect(olivia.cookies(shop.origin)).to.equal('')
    })

    it('says that the API cannot be reached, and keeps the End', async () => {
      const olivia = await operator()
      await shop.handOver(olivia, await shop.subjectToken())
      const url = `${shop.origin}/orders`
      const page = await shop.without('orders', () => olivia.get(url))
      expect(page.status).to.equal(502)
      expect(page.text).to.include('The orders cannot be read.').and.to.include('<bdi>olivia</bdi>')
      expect(page.text).not.to.match(/TypeError|at .*:\d+/)
      expect((await olivia.get(url)).status).to.equal(200)
      expect((await shop.pressEnd(olivia)).text).to.include('Acting has ended.')
    })

    it('refuses an End that no page of its own sends', async () => {
      const olivia = await operator()
      await shop.handOver(olivia, await shop.subjectToken())
      const cookie = olivia.cookies(shop.origin)
      const end = async (headers: Record<string, string>) => {
        const answer = await fetch(`${shop.origin}/impersonation/end`, {
          method: 'POST',
          headers: { cookie, ...headers },
        })
        return [answer.status, /Nothing was ended|Acting has ended/.exec(await answer.text())?.[0]]
      }
      const refused = [403, 'Nothing was ended']
      for (const headers of [
        {},
        { origin: 'https://evil.example' },
        { origin: CONSOLE },
        { origin: 'null' },
        { origin: 'null', 'sec-fetch-site': 'cross-site' },
        { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'none' },
      ]) {
        expect(await end(headers), JSON.stringify(headers)).to.deep.equal(refused)
      }
      expect((await olivia.get(`${shop.origin}/impersonation/end`)).status).to.be.oneOf([404, 405])
      expect((await olivia.get(`${shop.origin}/orders`)).status).to.equal(200)
      // A page with `Referrer-Policy: no-referrer` sends `null`.
      expect(await end({ origin: 'null', 'sec-fetch-site': 'same-origin' })).to.deep.equal([
        200,
        'Acting has ended',
      ])
    })

    it('says that it is not ended while the provider is away, and ends it afterwards', async () => {
      const olivia = await operator()
      await shop.handOver(olivia, await shop.subjectToken())
      const failed = await shop.without('end endpoint', () => shop.pressEnd(olivia))
      expect(failed.status).to.equal(502)
      expect(failed.text).to.include('You still act').and.to.include('<bdi>olivia</bdi> acts as')
      expect((await shop.pressEnd(olivia)).text).to.include('Acting has ended.')
    })

    it('refuses another operator than the one who may act, and tells who is signed in', async () => {
      const mallory = await operator('mallory')
      const token = await shop.subjectToken()
      const page = await shop.handOver(mallory, token)
      expect(page.status).to.equal(403)
      expect(page.text).to.include('is for another operator or another application.')
      expect(page.text).to.include('You are signed in as <bdi>mallory</bdi>.')
      expect(mallory.cookies(shop.origin)).to.equal('')
      // The subject token is still olivia's.
      expect((await shop.handOver(await operator(), token)).status).to.equal(200)
    })

    it('refuses the form a second time, in the same words as for one that never existed', async () => {
      const token = await shop.subjectToken()
      await shop.handOver(await operator(), token)
      const again = await shop.handOver(await operator(), token)
      const unknown = await shop.handOver(await operator(), 'x'.repeat(43))
      expect([again.status, unknown.status]).to.deep.equal([403, 403])
      expect(again.text).to.equal(unknown.text)
    })

    it('takes the form from the back office alone', async () => {
      const olivia = await operator()
      const form = { impersonation: await shop.subjectToken() }
      for (const origin of ['https://evil.example', 'null', shop.origin, undefined]) {
        const page = await olivia.post(`${shop.origin}/impersonation`, form, origin)
        expect(page.status, origin).to.equal(403)
      }
      for (const bad of ['', 'a b', '<b>', 'x'.repeat(1025), 'x'.repeat(10_000), ['a', 'b']]) {
        const page = await shop.handOver(olivia, bad)
        expect(page.status, String(bad)).to.equal(400)
      }
      expect((await olivia.post(`${shop.origin}/impersonation`, {}, CONSOLE)).status).to.equal(400)
      expect(olivia.cookies(shop.origin)).to.equal('')
    })

    it('refuses a callback that this browser has not begun, and one with another state', async () => {
      const olivia = await operator()
      const token = await shop.subjectToken()
      const callback = await shop.callbackOf(olivia, token)
      const victim = await operator()
      expect((await victim.get(callback)).status).to.equal(400)
      const other = new URL(callback)
      other.searchParams.set('state', 'another')
      expect((await olivia.get(other.href)).status).to.equal(400)
      // Neither has used it up, nor stopped the one that was begun.
      expect((await olivia.get(callback)).status).to.equal(200)
      expect((await olivia.get(callback)).status).to.equal(400)
    })

    it('shows hostile names and tickets as text', async () => {
      const olivia = await operator()
      const ticket = '</bdi><script>alert(1)</script>\u202E"\''
      const page = await shop.handOver(olivia, await shop.subjectToken('<b>eve', ticket))
      expect(page.text).to.include('<bdi>&lt;b&gt;eve</bdi>')
      expect(page.text).to.include(
        '<bdi>&lt;/bdi&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;</bdi>',
      )
      expect(page.text).not.to.match(/<script|\u202E/)
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
})
