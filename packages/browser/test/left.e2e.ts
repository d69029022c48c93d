import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { impersonationUrl } from '../src/link.ts'
import {
  endSession,
  expectSaid,
  openAnew,
  optionsOf,
  said,
  scriptOf,
  servedSites,
} from './support/page.ts'
import { type Visit, visit } from './support/visit.ts'

const CONSOLE = 'https://support.example/console'
const OTHER_ORDER = '/orders/17?tab=notes'
const RELOADED = 'left: You acted as Bob Marsh for SUP-77. The reload ended it.'

describe('what an impersonation leaves in its tab', () => {
  const sites = servedSites()
  beforeEach(() => {
    sites.application.script = script({ console: CONSOLE })
  })

  function script(options: Parameters<typeof optionsOf>[1]): string {
    return scriptOf(sites, options).replace(
      /const options = .*/,
      `const options = { ...${JSON.stringify(optionsOf(sites, options))}, userName: () => 'Bob Marsh' }
globalThis.shown = []
addEventListener('popstate', () => shown.push(location.pathname + location.search))`,
    )
  }

  async function open(page: Page, userId = 'bob'): Promise<string> {
    const link = { userId, context: { ticket_id: 'SUP-77' } }
    await openAnew(page, await sites.link('/', link))
    await expectSaid(page, `acting as ${userId}`)
    const { items } = await sites.provider.impersonation.list({ userId, state: 'active' })
    return items[0]?.id ?? expect.fail()
  }

  /** Acts, and goes to another page as routers do. */
  async function act({ context, page }: Visit): Promise<string> {
    await sites.signIn(context)
    const id = await open(page)
    await page.evaluate((url) => history.pushState(null, '', url), `${OTHER_ORDER}#top`)
    return id
  }

  const place = (page: Page) => page.url().slice(sites.application.url.length)
  const kept = (page: Page) => page.evaluate(() => Object.keys(sessionStorage))
  const continueUrl = (page: Page) =>
    page.evaluate(() => (globalThis.failure as { continueUrl?: string } | undefined)?.continueUrl)

  it('after a reload, the page says as whom and for what, and where to go on', async () => {
    await using person = await visit(sites)
    const { page } = person
    const id = await act(person)
    await page.reload()
    await expectSaid(page, RELOADED)
    expect(await continueUrl(page)).to.equal(`${CONSOLE}/continue/${id}`)
    await page.reload()
    await expectSaid(page, RELOADED, 'a second reload')
    // The operator goes on in person.
    await page.goto('/')
    await said(page)
    await page.goto('/again')
    await expectSaid(page, 'not acting')
  })

  it('the next one goes on where this one was, as the same customer alone', async () => {
    await using person = await visit(sites)
    const { page } = person
    for (const [end, says, userId] of [
      [false, RELOADED, 'bob'],
      // Of an end by the operator, a reload says nothing.
      [true, 'not acting', 'bob'],
      [false, RELOADED, 'alice'],
    ] as const) {
      await act(person)
      if (end) await endSession(page)
      await page.reload()
      await expectSaid(page, says)
      await open(page, userId)
      const isSame = userId === 'bob'
      expect(place(page)).to.equal(isSame ? OTHER_ORDER : '/')
      expect(await page.evaluate('shown')).to.deep.equal(isSame ? [OTHER_ORDER] : [])
      expect(await kept(page)).to.deep.equal([])
      await endSession(page)
    }
  })

  it('is nothing after an end by the customer', async () => {
    await using person = await visit(sites)
    const { page } = person
    const id = await act(person)
    await sites.provider.impersonation.end(id, { by: { sub: 'bob' }, cause: 'user' })
    await page.getByRole('dialog').waitFor()
    expect(await kept(page)).to.deep.equal([])
  })

  it('is worth nothing after ten minutes, and has no token and no fragment', async () => {
    await using person = await visit(sites)
    const { page } = person
    await act(person)
    const token = await page.evaluate(() => session?.accessToken ?? '')
    await page.reload()
    await expectSaid(page, RELOADED)
    const stored = await page.evaluate(() => JSON.stringify({ ...sessionStorage }))
    expect(stored).to.include('/orders/17').and.to.not.include('#top')
    expect(stored).to.not.include(token)
    await page.evaluate(() => {
      const text = String(sessionStorage['oidc-provider-impersonation.left'])
      const left = JSON.parse(text)
      if (left.untilMs > Date.now() + 600_000) throw new Error('it is kept for longer')
      sessionStorage['oidc-provider-impersonation.left'] = JSON.stringify({
        ...left,
        untilMs: left.untilMs - 600_000,
      })
    })
    await page.reload()
    await expectSaid(page, 'not acting')
  })

  it('leads to no other origin, and to no console out of an address', async () => {
    await using person = await visit(sites)
    const { page } = person
    await act(person)
    await page.reload()
    await said(page)
    await page.evaluate(() => {
      const key = 'oidc-provider-impersonation.left'
      const url = 'https://evil.example/orders'
      sessionStorage[key] = JSON.stringify({ ...JSON.parse(sessionStorage[key]), url })
    })
    const { subjectToken } = await sites.issue({ userId: 'bob' })
    const link = impersonationUrl(`${sites.application.url}/?console=https://evil.example`, {
      subjectToken,
    })
    await openAnew(page, link)
    await expectSaid(page, 'acting as bob')
    expect(new URL(page.url()).origin).to.equal(sites.application.url)
    await page.reload()
    await expectSaid(page, /^left: /)
    expect(await continueUrl(page)).to.match(/^https:\/\/support\.example\/console\/continue\//)
  })

  it('is not said where the application names no console', async () => {
    sites.application.script = script({})
    await using person = await visit(sites)
    const { page } = person
    await act(person)
    await page.reload()
    await expectSaid(page, 'not acting')
  })
})
