import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { shared } from '../support/shared.ts'
import { newContext, startExampleHere } from './support/server.ts'
import { openShop, type Purpose, signInAtProvider } from './support/shop.ts'

const MINUTE = 60_000

describe('what an operator has typed in the shop', () => {
  let context: BrowserContext

  const example = shared(startExampleHere)
  beforeEach(async () => {
    context = await newContext(example)
    await context.clock.install({ time: Date.now() })
    await signInAtProvider(context, example)
  })
  afterEach(() => context.close())

  const note = (page: Page) => page.locator('[data-order="A-1002"]').getByLabel('Delivery note')
  const address = (page: Page) => page.getByLabel('E-mail address')
  const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor()

  async function act(purpose?: Purpose): Promise<Page> {
    const shop = await openShop(context, example, purpose)
    await heading(shop, 'Orders')
    return shop
  }

  async function endByTime(shop: Page): Promise<void> {
    example.moveClock(11 * MINUTE)
    await context.clock.fastForward(11 * MINUTE)
    await heading(shop, 'You no longer act as Alice Ng')
  }

  it('is back for the same operator, as the same customer', async () => {
    const before = await act()
    await note(before).fill('Leave it next door')
    await endByTime(before)
    const again = await act()
    await again.getByText('What you typed before is back. It is not saved yet.').waitFor()
    expect(await note(again).inputValue()).to.equal('Leave it next door')
    await heading(before, 'You go on in another tab')
  })

  it('is shown to no other customer, and to no other operator', async () => {
    const text = 'Alice asked olivia alone'
    const before = await act()
    await note(before).fill(text)
    await endByTime(before)
    const bob = await act({ userId: 'bob' })
    expect(await address(bob).inputValue()).to.equal('bob@example.com')
    await bob.getByRole('button', { name: 'End' }).click()
    await heading(bob, 'You no longer act as Bob Marsh')
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
