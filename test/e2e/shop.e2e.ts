import { expect } from 'chai'
import type { BrowserContext, Locator, Page } from 'playwright-core'
import { expectAccessible } from '../../packages/console/test/e2e/support/axe.ts'
import { collectTokens } from '../../packages/console/test/e2e/support/collect-tokens.ts'
import { reads } from '../../packages/console/test/e2e/support/operating.ts'
import { shared } from '../support/shared.ts'
import { launchExample, newContext } from './support/server.ts'
import { openShop, type Purpose, signInAtProvider } from './support/shop.ts'
import { enter, signIn } from './support/sign-in.ts'

const NOTE = 'Delivery note'
const OVER = 'You no longer act as'

describe('the shop, as a customer and as an operator who acts', () => {
  let shopUrl: string
  let context: BrowserContext

  const example = shared(launchExample)
  before(async () => {
    shopUrl = example.shopUrl
  })
  beforeEach(async () => {
    context = await newContext(example)
  })
  afterEach(() => context.close())

  const card = (page: Page, order: string) => page.locator(`[data-order="${order}"]`)
  const message = (page: Page) => page.locator('#message')
  const banner = (page: Page) => page.locator('impersonation-banner')
  const press = (at: Locator | Page, name: string) => at.getByRole('button', { name }).click()

  /** Signs olivia in, and opens the shop as alice. */
  async function openAsAlice(purpose?: Purpose): Promise<Page> {
    await signInAtProvider(context, example)
    const shop = await openShop(context, example, purpose)
    await shop.getByRole('heading', { name: 'Orders' }).waitFor()
    return shop
  }

  /** The same, without waiting for the orders. */
  async function beginAsAlice(): Promise<Page> {
    await signInAtProvider(context, example)
    return openShop(context, example)
  }

  it('alice signs in, sees her orders, leaves a note and changes her address', async () => {
    const page = await context.newPage()
    await page.goto(shopUrl)
    await signIn(page, page.getByRole('button', { name: 'Sign in' }), 'alice')
    await card(page, 'A-1003').getByLabel(NOTE).fill('Behind the shed')
    await press(card(page, 'A-1003'), 'Save note')
    await message(page).getByText('The note is saved.').waitFor()
    await page.getByLabel('E-mail address').fill('alice@example.org')
    await press(page, 'Save address')
    await message(page).getByText('The new address is saved.').waitFor()
    expect(await banner(page).isVisible()).to.equal(false)
    await expectAccessible(page)
  })

  it('olivia opens it as alice, with nothing of the hand-over in the address, and no token is in the log; alice reads what was done', async () => {
    const collected = collectTokens(context)
    const shop = await openAsAlice()
    expect(shop.url()).to.equal(shopUrl)
    const from = await shop.evaluate(() => [window.opener, document.referrer])
    expect(from).to.deep.equal([null, ''])
    await banner(shop).getByText('SUP-123').waitFor()
    await expectAccessible(shop)
    await card(shop, 'A-1002').getByLabel(NOTE).fill('Ring twice')
    await press(card(shop, 'A-1002'), 'Save note')
    await message(shop).getByText('The note is saved.').waitFor()
    await shop.getByLabel('E-mail address').fill('alice@example.org')
    await press(shop, 'Save address')
    await shop.getByText('Only Alice Ng can change this e-mail address.').waitFor()
    await press(banner(shop), 'End')
    await shop.getByRole('heading', { name: OVER }).waitFor()
    await context.clearCookies()
    const account = await context.newPage()
    await enter(account, 'alice', '/account')
    const past = account.getByRole('region', { name: 'Earlier' }).getByRole('article').first()
    await past.getByText('Changed the delivery note of an order').first().waitFor()
    await collected.settled()
    const names = collected.tokens.map(({ name }) => name)
    expect(names).to.include.members(['access_token', 'subject_token'])
    for (const { name, value } of collected.tokens) {
      expect(example.log(), name).to.not.include(value)
    }
  })

  it('without the right to change, the page offers nothing to save', async () => {
    const shop = await openAsAlice({ mayChange: false })
    await card(shop, 'A-1002').getByText('A-1002').waitFor()
    expect(await shop.getByRole('button', { name: /^Save/ }).count()).to.equal(0)
    expect(await shop.getByLabel('E-mail address').isEditable()).to.equal(false)
  })

  it('the banner says no ids before the orders are there; orders that arrive after the end are not shown', async () => {
    const asked = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    await context.route('**/orders', async (route) => {
      const response = await route.fetch()
      if (route.request().method() !== 'GET') return route.fulfill({ response })
      asked.resolve()
      await ended.promise
      await route.fulfill({ response })
    })
    const shop = await beginAsAlice()
    await asked.promise
    await banner(shop).getByText(reads('Support acts as a customer')).waitFor()
    await press(banner(shop), 'End')
    await shop.getByRole('heading', { name: OVER }).waitFor()
    const answered = shop.waitForResponse('**/orders')
    ended.resolve()
    await (await answered).finished()
    await shop.evaluate(() => new Promise((resolve) => setTimeout(resolve)))
    expect(await shop.locator('[data-order]').count()).to.equal(0)
    expect(await shop.getByRole('heading', { name: OVER }).isVisible()).to.equal(true)
  })

  it('an operator does not act without the banner', async () => {
    await context.route('**/banner-element*', (route) => route.abort())
    const told = context.waitForEvent('request', (it) => it.url().endsWith('/current/end'))
    const shop = await beginAsAlice()
    await message(shop).getByText('Something went wrong.').waitFor()
    expect((await (await told).response())?.status()).to.equal(204)
    expect(await shop.locator('[data-order]').count()).to.equal(0)
  })
})
