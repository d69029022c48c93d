import { expect } from 'chai'
import {
  acting,
  expectSaid,
  openAnew,
  operating,
  said,
  scriptOf,
  servedSites,
} from './support/page.ts'
import { visit } from './support/visit.ts'

describe('a fragment that opens the application', () => {
  const sites = servedSites()

  // test/impersonation-url.test.ts has all fragments.
  it('is told to be damaged, and is gone from the address; the own one of the application stays', async () => {
    await using person = await visit(sites)
    const { page, urls } = person
    await page.goto('/#/own?tab=1&impersonation=%&a=%zz')
    await expectSaid(page, /^malformed: .*damaged/)
    expect(page.url()).to.equal(`${sites.application.url}/#/own?tab=1&a=%zz`)
    expect(await page.evaluate(() => sessionStorage.length)).to.equal(0)
    await page.goto('about:blank')
    const own = `${sites.application.url}/#access_token=own&state=own`
    await page.goto(own)
    await expectSaid(page, 'not acting')
    expect(page.url()).to.equal(own)
    expect(urls.filter((url) => url.includes('/oidc/'))).to.deep.equal([])
  })

  it('opens no page of another site, whatever the path looks like', async () => {
    await using person = await operating(sites)
    const { page } = person
    for (const path of ['//evil.example/x', '/\\evil.example/x', '/javascript:alert(1)']) {
      await openAnew(page, (await sites.link('/')).replace('/#', `${path}#`))
      await expectSaid(page, 'acting as alice', path)
      expect(new URL(page.url()).origin).to.equal(sites.application.url)
    }
  })

  it('is not believed where the storage was filled by another script', async () => {
    await using person = await visit(sites)
    const { page } = person
    await page.goto('/')
    await said(page)
    for (const stored of ['{', 'null', '{"state":"impersonation.x"}']) {
      await page.evaluate(
        (text) => sessionStorage.setItem('oidc-provider-impersonation', text),
        stored,
      )
      await openAnew(page, '/#code=c&state=impersonation.x')
      await expectSaid(page, /^foreign_answer: /, stored)
      expect(await page.evaluate(() => sessionStorage.length)).to.equal(0)
    }
  })
})

describe('an impersonation that is accepted', () => {
  const sites = servedSites()

  it('leaves no token in an address, a referrer, the history, a storage, or a log', async () => {
    await using person = await visit(sites)
    const { page, context, urls } = person
    const secrets = new Set<string>()
    const codes = new Set<string>()
    context.on('request', (request) => {
      for (const [name, value] of new URLSearchParams(request.postData() ?? '')) {
        if (/token$|verifier$/.test(name)) secrets.add(value)
        if (name === 'code') codes.add(value)
      }
      const [, token] = /^\w+ (\S{20,})$/.exec(request.headers().authorization ?? '') ?? []
      if (token) secrets.add(token)
    })
    const printed: string[] = []
    context.on('console', (message) => printed.push(message.text()))
    await sites.signIn(context)
    const link = await sites.link('/orders?tab=1#own')
    await page.goto(link)
    await expectSaid(page, 'acting as alice')
    await page.evaluate((url) => session?.fetch(url), sites.resource)
    const traces = await page.evaluate(() => [
      location.href,
      document.referrer,
      JSON.stringify(history.state),
      JSON.stringify(navigation.entries().map((entry) => [entry.url, entry.getState()])),
      JSON.stringify({ ...sessionStorage, ...localStorage }),
      JSON.stringify(performance.getEntries()),
      document.cookie,
      window.name,
      document.documentElement.outerHTML,
    ])
    const servers = [
      ...sites.log,
      ...sites.application.requests.flatMap(({ url, referer = '' }) => [url, referer]),
      ...sites.apiRequests.map(({ referer, cookie }) => `${referer} ${cookie}`),
    ].join('\n')
    const seen = [...traces, ...urls.filter((url) => url !== link), ...printed, servers].join('\n')
    expect(secrets.size).to.be.greaterThan(3)
    for (const secret of secrets) expect(seen).to.not.include(secret)
    // The browser itself keeps the address that a page was opened with, in its measurements.
    expect(codes.size).to.equal(1)
    for (const code of codes) {
      expect(servers).to.not.include(code)
      expect(traces.slice(0, 5).join('\n')).to.not.include(code)
    }
    expect(await page.evaluate(() => globalThis.happened)).to.include.members(['same true'])
    expect(await page.evaluate(() => history.length)).to.be.at.most(2)
    expect(sites.apiRequests.map(({ cookie }) => cookie)).to.deep.equal(
      sites.apiRequests.map(() => undefined),
    )
  })

  it('leaves no token in an error, whatever the provider answers', async () => {
    await using person = await visit(sites)
    const { page, context } = person
    await sites.signIn(context)
    await page.route('**/oidc/token', async (route) => {
      if (!String(route.request().postData()).includes('subject_token')) return route.continue()
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), expires_in: 'soon' } })
    })
    await page.goto(await sites.link())
    await expectSaid(page, /^foreign_answer|^unreachable|^misconfigured/)
    const told = await page.evaluate(() => {
      const parts: string[] = []
      for (let each: unknown = globalThis.failure; each instanceof Error; each = each.cause) {
        const own = Object.getOwnPropertyNames(each).map((name) => Reflect.get(each, name))
        parts.push(JSON.stringify(own), String(each))
      }
      return parts.join('\n')
    })
    expect(told).to.include('"expires_in"')
    expect(told).to.not.include('eyJ')
  })

  it('sends the token to no other origin than that of the API', async () => {
    sites.application.policy += " 'self'"
    await using person = await acting(sites)
    const { page } = person
    const before = sites.application.requests.length
    const refusals = await page.evaluate(
      (others) =>
        Promise.all(
          others.map((url) => session?.fetch(url).catch((error: Error) => error.message)),
        ),
      ['/own', new URL(sites.issuer).origin, 'data:,x', 'blob:null/x', 'http://localhost@evil/'],
    )
    for (const refusal of refusals.slice(0, -1)) {
      expect(refusal).to.match(/^the token is not for .*: allow it by the option origins$/)
    }
    expect(refusals.at(-1)).to.match(/credentials/)
    expect(sites.application.requests).to.have.length(before)

    person.expectFailure(/elsewhere|caught/)
    const redirected = await page.evaluate(
      (url) => session?.fetch(url, { redirect: 'follow' }).catch((error: Error) => error.name),
      `${sites.api}/elsewhere`,
    )
    expect(redirected).to.equal('TypeError')
    expect(sites.application.requests).to.have.length(before)
  })

  it('sends it where the application allows it', async () => {
    sites.application.script = scriptOf(sites, { origins: [sites.application.url] })
    await using person = await acting(sites)
    const { page } = person
    expect(await page.evaluate(async () => (await session?.fetch('/own'))?.status)).to.equal(200)
  })
})
