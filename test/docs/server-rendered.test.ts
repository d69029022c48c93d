import { readdir, readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { Browser } from './browser-by-hand.ts'
import { CONSOLE, type ServerRendered, serverRendered } from './server-rendered-app.ts'

describe('docs/server-rendered.md', () => {
  let shop: ServerRendered

  before(async () => {
    shop = await serverRendered()
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
    expect(page.text).to.match(/<bdi>olivia<\/bdi> acts as <bdi>alice<\/bdi>, ticket <bdi>SUP-123/)
    expect(page.text).to.match(/until <time datetime="[^"]+">\d\d:\d\d UTC<\/time>\. Look only/)
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
      expect(line).to.match(/; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/)
      expect(line).not.to.include(token)
      expect(line.length).to.be.below(250)
    }
    expect(olivia.cookies(shop.origin)).to.match(/^__Host-impersonation=[^;]+$/)
    expect(olivia.urls.join()).not.to.include(token)
    expect(shop.log()).not.to.include(token)
  })

  it('ends it at the provider, and forgets it', async () => {
    const olivia = await operator()
    const page = await shop.handOver(olivia, await shop.subjectToken())
    const cookie = olivia.cookies(shop.origin)
    const ended = await shop.pressEnd(olivia, page)
    expect(ended.status).to.equal(200)
    expect(ended.text).to.include('Acting has ended. olivia acted as alice.')
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
    expect(page.text).to.include('Acting is over. olivia acted as alice.')
    expect(olivia.cookies(shop.origin)).to.equal('')
  })

  it('acts with a token that is longer than a cookie may be', async () => {
    const olivia = await operator()
    const ticket = 'x'.repeat(3900)
    const page = await shop.handOver(olivia, await shop.subjectToken('alice', ticket))
    expect([page.status, page.url]).to.deep.equal([200, `${shop.origin}/orders`])
    expect(page.text).to.include(ticket)
    expect((await shop.pressEnd(olivia, page)).text).to.include('Acting has ended.')
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
    expect((await shop.pressEnd(olivia, page)).text).to.include('Acting has ended.')
  })

  it('forgets what was begun before it forgets who acts, however much is begun', async () => {
    const olivia = await operator()
    await shop.handOver(olivia, await shop.subjectToken())
    const form = new URLSearchParams({ impersonation: 'x'.repeat(43) })
    const init = { method: 'POST', body: form, headers: { origin: CONSOLE } } as const
    for (let round = 0; round < 1100; round += 1) {
      await fetch(`${shop.origin}/impersonation`, { ...init, redirect: 'manual' })
    }
    expect((await olivia.get(`${shop.origin}/orders`)).status).to.equal(200)
  })

  it('refuses an End without the value of its own page', async () => {
    const olivia = await operator()
    await shop.handOver(olivia, await shop.subjectToken())
    for (const form of [{}, { csrf: '' }, { csrf: 'guessed' }]) {
      const answer = await olivia.post(`${shop.origin}/impersonation/end`, form, shop.origin)
      expect(answer.status).to.equal(403)
    }
    expect((await olivia.get(`${shop.origin}/orders`)).status).to.equal(200)
    // A form of another site arrives without the cookie.
    const foreign = await olivia.post(
      `${shop.origin}/impersonation/end`,
      {},
      'https://evil.example',
    )
    expect(foreign.text).to.include('Nothing was ended')
    expect((await olivia.get(`${shop.origin}/orders`)).status).to.equal(200)
  })

  it('says that it is not ended while the provider is away, and ends it afterwards', async () => {
    const olivia = await operator()
    const page = await shop.handOver(olivia, await shop.subjectToken())
    const failed = await shop.without('end endpoint', () => shop.pressEnd(olivia, page))
    expect(failed.status).to.equal(502)
    expect(failed.text).to.include('Not ended').and.to.include('<bdi>olivia</bdi> acts as')
    expect((await shop.pressEnd(olivia, failed)).text).to.include('Acting has ended.')
  })

  it('says that it is over when the time has passed', async () => {
    const olivia = await operator()
    await shop.handOver(olivia, await shop.subjectToken())
    shop.passTime(3601)
    const page = await olivia.get(`${shop.origin}/orders`)
    expect(page.status).to.equal(401)
    expect(page.text).to.include('Acting is over. olivia acted as alice.')
    expect(page.text).not.to.include('<li>')
    expect(olivia.cookies(shop.origin)).to.equal('')
  })

  it('refuses another operator than the one who may act, and tells who is signed in', async () => {
    const mallory = await operator('mallory')
    const token = await shop.subjectToken()
    const page = await shop.handOver(mallory, token)
    expect(page.status).to.equal(403)
    expect(page.text).to.include('meant for another operator: you are signed in as mallory.')
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

  it('takes the form from the support console alone', async () => {
    const olivia = await operator()
    const form = { impersonation: await shop.subjectToken() }
    for (const origin of ['https://evil.example', 'null', shop.origin, undefined]) {
      const page = await olivia.post(`${shop.origin}/impersonation`, form, origin)
      expect(page.status, origin).to.equal(400)
    }
    for (const bad of ['', 'a b', '<b>', 'x'.repeat(1025), ['a', 'b']]) {
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

  it('tells an operator who is not signed in at the provider what to do', async () => {
    const page = await shop.handOver(new Browser(), await shop.subjectToken())
    expect(page.status).to.equal(403)
    expect(page.text).to.include('Sign in there, then start again from the support console.')
  })

  it('begins nothing while another impersonation goes on in this browser', async () => {
    const olivia = await operator()
    const first = await shop.handOver(olivia, await shop.subjectToken())
    const token = await shop.subjectToken('bob')
    const page = await shop.handOver(olivia, token)
    expect(page.status).to.equal(409)
    expect(page.text).to.include('You act as alice in this browser already. End that first.')
    await shop.pressEnd(olivia, first)
    expect((await shop.handOver(olivia, token)).text).to.include('acts as <bdi>bob</bdi>')
  })

  it('reads no cookie in place of another, and none that was changed', async () => {
    const olivia = await operator()
    await shop.callbackOf(olivia, await shop.subjectToken())
    const [, begun = ''] =
      /__Host-impersonation-begun=([^;]+)/.exec(olivia.cookies(shop.origin)) ?? []
    expect(begun).not.to.equal('')
    for (const value of [begun, `${begun}x`, 'e30.e30', '']) {
      const headers = { cookie: `__Host-impersonation=${value}` }
      const answer = await fetch(`${shop.origin}/orders`, { headers })
      expect(await answer.text(), value).to.include('Sign in.')
    }
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

  it('says how to install every package that it imports', async () => {
    const text = await readFile(new URL('../../docs/server-rendered.md', import.meta.url), 'utf8')
    const installed = /^npm install (.+)$/m.exec(text)?.[1]?.split(' ')
    const folder = new URL('../../examples/server-rendered/', import.meta.url)
    const files = (await readdir(folder)).map((name) => readFile(new URL(name, folder), 'utf8'))
    const code = (await Promise.all(files)).join('')
    const imported = [...code.matchAll(/from '([\w-]+)'/g)].map(([, name]) => name)
    expect(installed).to.have.members([...new Set(imported)])
  })
})
