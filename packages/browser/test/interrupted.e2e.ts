import { expect } from 'chai'
import {
  acting,
  endSession,
  expectSaid,
  expectState,
  openAnew,
  operating,
  said,
  servedSites,
} from './support/page.ts'
import { visit } from './support/visit.ts'

describe('what comes between the link and the session', () => {
  const sites = servedSites()

  it('is told: a provider that is away at the start, or when the operator comes back', async () => {
    await using person = await operating(sites)
    const { page } = person
    for (const path of ['/oidc/.well-known/openid-configuration', '/oidc/token']) {
      await page.route(`**${path}`, (route) => route.abort())
      person.expectFailure(path)
      await openAnew(page, await sites.link('/orders#own'))
      await expectSaid(page, /^unreachable: .*again from the back office/)
      expect(page.url()).to.equal(`${sites.application.url}/orders#own`)
      expect(await stored(page)).to.equal(0)
      await page.unroute(`**${path}`)
    }
  })

  it('is told: a redirect from which the operator did not come back', async () => {
    await using person = await visit(sites)
    await person.page.route('**/oidc/auth?*', (route) => route.abort())
    person.expectFailure(/oidc\/auth/)
    const failed = person.page.waitForEvent('framenavigated', (frame) =>
      frame.url().startsWith('chrome-error:'),
    )
    await person.page.goto(await sites.link())
    await failed
    await person.page.goto('/')
    await expectSaid(person.page, /^interrupted: .*again from the back office/)
    expect(await stored(person.page)).to.equal(0)
    await person.page.reload()
    await expectSaid(person.page, 'not acting')
  })

  it('is told: a provider that leaves the redirect without an answer', async () => {
    await using person = await visit(sites)
    const { page } = person
    await page.clock.install()
    // The browser stays on the page.
    await page.route('**/oidc/auth?*', (route) => route.fulfill({ status: 204 }))
    const answered = page.waitForEvent('response', (response) => response.status() === 204)
    await page.goto(await sites.link())
    await answered
    await page.clock.runFor(31_000)
    await expectSaid(page, /^unreachable: /)
    expect(await stored(page)).to.equal(0)
  })

  it('is told: an answer to a request that this tab did not make', async () => {
    await using person = await visit(sites)
    const { page } = person
    await page.goto(`/?own=%20a#/tab&code=stolen&state=impersonation.x&iss=${sites.issuer}`)
    await expectSaid(page, /^foreign_answer: .*Nothing was started/)
    expect(page.url()).to.equal(`${sites.application.url}/?own=%20a#/tab`)
    expect(person.urls.filter((url) => url.startsWith(sites.issuer))).to.deep.equal([])
  })

  it('is told: an answer with another state, or of another issuer', async () => {
    await using person = await visit(sites)
    const { page } = person
    let answer = 'state=impersonation.other'
    await page.route('**/oidc/auth?*', (route) => {
      const state = new URL(route.request().url()).searchParams.get('state')
      const location = `${sites.application.url}/#code=stolen&${answer}`.replace(
        'STATE',
        `${state}`,
      )
      return route.fulfill({ status: 303, headers: { location } })
    })
    for (const other of [answer, 'iss=https://evil.example&state=STATE']) {
      answer = other
      await openAnew(page, await sites.link())
      await expectSaid(page, /^foreign_answer: /)
      expect(await stored(page)).to.equal(0)
    }
    expect(sites.log.filter((line) => line.includes('/token')).join()).to.not.include('stolen')
  })

  it('is none: the answer to a sign-in of the application itself', async () => {
    await using person = await visit(sites)
    for (const own of ['/?code=own&state=own#own', '/#code=own&state=own']) {
      await openAnew(person.page, own)
      await expectSaid(person.page, 'not acting')
      expect(person.page.url()).to.equal(`${sites.application.url}${own}`)
    }
  })

  it('is told: another tab that acts, until it is closed', async () => {
    await using person = await acting(sites)
    const other = await person.context.newPage()
    await other.goto(await sites.link('/', { userId: 'bob' }))
    await expectSaid(other, /^already_acting: .*End it there, or close that tab/)
    await person.page.close()
    await openAnew(other, await sites.link('/', { userId: 'bob' }))
    await expectSaid(other, 'acting as bob')
  })

  it('is good once, also where the tab was duplicated meanwhile', async () => {
    await using person = await operating(sites)
    const { page, context } = person
    // The browser stays on the page, where its storage can be read.
    await page.route('**/oidc/auth?*', (route) => route.fulfill({ status: 204 }))
    const asked = page.waitForRequest('**/oidc/auth?*')
    await page.goto(await sites.link())
    const url = (await asked).url()
    const copy = await page.evaluate(() => ({ ...sessionStorage }))
    expect(Object.keys(copy)).to.have.length(1)

    // Each of them gets a code of its own, for the same verifier, state and nonce.
    const duplicate = async () => {
      const tab = await context.newPage()
      await tab.goto('/')
      await said(tab)
      await tab.evaluate((entries) => Object.assign(sessionStorage, entries), copy)
      await tab.goto(url)
      return tab
    }
    const first = await duplicate()
    await expectSaid(first, 'acting as alice')
    const second = await duplicate()
    await expectSaid(second, /^already_acting: /)
    expect(await stored(second)).to.equal(0)
    await endSession(first)
    person.expectFailure('/oidc/token', 400)
    const third = await duplicate()
    await expectSaid(third, /^refused: /)
    expect(await stored(third)).to.equal(0)
  })

  it('is nothing to go back to', async () => {
    await using person = await operating(sites)
    const { page } = person
    await page.goto('/before')
    await said(page)
    await page.goto(await sites.link('/orders'))
    await expectSaid(page, 'acting as alice')
    await page.goBack()
    expect(page.url()).to.equal(`${sites.application.url}/before`)
    await expectSaid(page, 'not acting')
    await page.goForward()
    expect(page.url()).to.equal(`${sites.application.url}/orders`)
    await expectSaid(page, 'not acting')
    await expectState(sites, 'ended')
  })

  it('is told: a storage that the browser blocks', async () => {
    await using person = await visit(sites)
    await person.context.addInitScript(() => {
      Object.defineProperty(window, 'sessionStorage', {
        get() {
          throw new DOMException('Access is denied for this document.', 'SecurityError')
        },
      })
    })
    await person.page.goto(await sites.link())
    await expectSaid(person.page, /^storage_blocked: .*Allow cookies/)
    expect(person.page.url()).to.equal(`${sites.application.url}/`)
    await openAnew(person.page, '/')
    await expectSaid(person.page, 'not acting')
  })

  it('is told: a page inside another page', async () => {
    await using person = await visit(sites)
    const { policy } = sites.application
    sites.application.policy = `${policy}; frame-src 'self'`
    try {
      const { page } = person
      await page.goto('/')
      await said(page)
      await page.evaluate(
        (src) => {
          const frame = document.createElement('iframe')
          frame.src = src
          document.body.append(frame)
        },
        await sites.link('/inside'),
      )
      const inside = page.frameLocator('iframe').locator('#said:not(:empty)')
      expect(await inside.textContent()).to.match(/^framed: /)
    } finally {
      sites.application.policy = policy
    }
  })
})

describe('a clock of the operator that is off', () => {
  // A minute, so that two minutes matter.
  const minute = () => 60
  const [AccessToken, Grant, Interaction, Session] = [() => 600, 600, 600, 600]
  const ttl = {
    AccessToken,
    ClientCredentials: minute,
    Grant,
    IdToken: minute,
    Interaction,
    Session,
  }
  const sites = servedSites({ configuration: { ttl } }, { dPoP: true })

  for (const minutes of [-2, 2]) {
    it(`by ${minutes} minutes does not matter`, async () => {
      await using person = await acting(sites, [], ({ context }) =>
        context.clock.install({ time: Date.now() + minutes * 60_000 }),
      )
      const status = await person.page.evaluate(
        async (url) => (await session?.fetch(url))?.status,
        sites.resource,
      )
      expect(status).to.equal(200)
      await endSession(person.page)
      await expectState(sites, 'ended')
    })
  }
})

async function stored(page: import('playwright-core').Page): Promise<number> {
  return page.evaluate(() => sessionStorage.length)
}
