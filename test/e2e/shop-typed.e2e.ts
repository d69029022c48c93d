import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { expectAccessible } from '../../packages/console/test/e2e/support/axe.ts'
import { browser } from '../../packages/console/test/e2e/support/browser.ts'
import { type StartedExample, startExampleHere } from './support/server.ts'
import { openShop, type Purpose, signInAtProvider } from './support/shop.ts'

const NOTE = 'Ring twice, then call'
const ADDRESS = 'alice@example.org'
const BACK = 'What you typed before is back. It is not saved yet.'
const MINUTE = 60_000

describe('what an operator has typed in the shop', () => {
  let example: StartedExample
  let context: BrowserContext

  before(async () => {
    example = await startExampleHere()
  })
  beforeEach(async () => {
    context = await (await browser()).newContext({ baseURL: example.url, locale: 'en-GB' })
    context.setDefaultTimeout(24_000)
    await context.clock.install({ time: Date.now() })
    await signInAtProvider(context, example)
  })
  afterEach(() => context.close())
  after(() => example[Symbol.asyncDispose]())

  const note = (page: Page) => page.locator('[data-order="A-1002"]').getByLabel('Delivery note')
  const address = (page: Page) => page.getByLabel('E-mail address')
  const message = (page: Page) => page.locator('#message')
  const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()

  async function act(purpose?: Purpose): Promise<Page> {
    const shop = await openShop(context, example, purpose)
    await heading(shop, 'Orders')
    return shop
  }

  async function typeAsAlice(text = NOTE): Promise<Page> {
    const shop = await act()
    await note(shop).fill(text)
    await address(shop).fill(ADDRESS)
    return shop
  }

  /** Time goes by, for the server and in the browser. */
  async function pass(milliseconds: number): Promise<void> {
    example.moveClock(milliseconds)
    await context.clock.fastForward(milliseconds)
  }

  it('waits when the time is over, comes back in each tab until it is saved, and is not saved by itself', async () => {
    const before = await typeAsAlice()
    await pass(11 * MINUTE)
    await heading(before, 'You no longer act as Alice Ng')
    await before.getByText('What you typed is not saved, and not lost').waitFor()
    const link = before.getByRole('link', { name: 'support console' })
    expect(await link.getAttribute('href')).to.equal(`${example.url}/console`)
    expect(await before.title()).to.equal('Corner Coffee')
    await expectAccessible(before)
    const kept = await before.evaluate(async () => [
      localStorage.length,
      Object.values(sessionStorage).join().includes('Ring twice'),
      (await indexedDB.databases()).length,
      document.body.textContent?.includes('Ring twice'),
    ])
    expect(kept, 'it is in memory alone').to.deep.equal([0, false, 0, false])

    const saved: string[] = []
    context.on('request', (request) => {
      if (/^(PATCH|PUT)$/.test(request.method())) saved.push(request.url())
    })
    const next = await act()
    await message(next).getByText(BACK).waitFor()
    expect([await note(next).inputValue(), await address(next).inputValue()]).to.deep.equal([
      NOTE,
      ADDRESS,
    ])
    await heading(before, 'You go on in another tab')
    await expectAccessible(before)
    expect(saved).to.deep.equal([])

    const card = next.locator('[data-order="A-1002"]')
    await note(next).fill('Leave it at the door')
    await card.getByRole('button', { name: 'Save note' }).click()
    await card.getByText('Changed by support (Olivia Reyes).').waitFor()
    expect(await address(next).inputValue(), 'the rest stays').to.equal(ADDRESS)
    await next.getByRole('button', { name: 'Save address' }).click()
    await message(next).getByText('Only Alice Ng can change this e-mail address.').waitFor()

    // What was saved does not come back in its older form, and the rest does so once more.
    await pass(11 * MINUTE)
    const last = await act()
    await message(last).getByText(BACK).waitFor()
    expect([await note(last).inputValue(), await address(last).inputValue()]).to.deep.equal([
      'Leave it at the door',
      ADDRESS,
    ])
  })

  it('is shown to no other customer, and to no other operator', async () => {
    const text = 'Alice asked olivia alone'
    const before = await typeAsAlice(text)
    await pass(11 * MINUTE)
    await heading(before, 'You no longer act as Alice Ng')
    const bob = await act({ userId: 'bob' })
    expect(await address(bob).inputValue()).to.equal('bob@example.com')
    await bob.getByRole('button', { name: 'End' }).click()
    await heading(bob, 'You no longer act as Bob Meyer')
    await context.clearCookies()
    await signInAtProvider(context, example, 'oscar')
    const oscar = await act({ operator: 'oscar' })
    // The first tab has heard the question by now: messages come in the order they were sent in.
    await oscar.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
    expect(await note(oscar).inputValue()).to.not.equal(text)
    expect(await address(oscar).inputValue()).to.equal('alice@example.com')
    expect(await before.getByText('You go on in another tab').isVisible()).to.equal(false)
  })
})
