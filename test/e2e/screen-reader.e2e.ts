import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { expectAccessible } from '../../packages/console/test/e2e/support/axe.ts'
import { expectFocus } from '../../packages/console/test/e2e/support/focus.ts'
import { reads } from '../../packages/console/test/e2e/support/operating.ts'
import { shared } from '../support/shared.ts'
import { expectAnnounced, listen } from './support/screen-reader.ts'
import { launchExample, newContext } from './support/server.ts'
import { enter } from './support/sign-in.ts'

describe("with a screen reader's eyes", function () {
  this.timeout(120_000)
  let contexts: BrowserContext[]

  const example = shared(launchExample)
  beforeEach(() => {
    contexts = []
  })
  afterEach(() => Promise.all(contexts.map((context) => context.close())))

  async function listenTo(login: string, path: string): Promise<Page> {
    const context = await newContext(example, { reducedMotion: 'reduce' })
    contexts.push(context)
    const page = await context.newPage()
    await enter(page, login, path)
    await listen(page)
    return page
  }

  /** From the form to the orders of alice. */
  async function act(page: Page): Promise<Page> {
    const opened = page.context().waitForEvent('page')
    await page.getByRole('button', { name: reads('Act as Alice Ng') }).click()
    const shop = await opened
    await shop.getByRole('heading', { name: 'Orders' }).waitFor()
    await listen(shop)
    return shop
  }

  const form = (ticket: string) => `/console/act?user=alice&ticket=${ticket}&reason=Parcel`

  it('a search is announced', async () => {
    const page = await listenTo('olivia', '/console')
    await page.getByRole('searchbox').fill('alice')
    await page.getByRole('link', { name: reads('Act as Alice Ng') }).waitFor()
    await expectAnnounced(page, /1 customer fits/)
  })

  it('an end by another person is announced in the console and in the application', async () => {
    const olivia = await listenTo('olivia', form('SUP-203'))
    const shop = await act(olivia)
    await shop.getByRole('region', { name: reads('Olivia Okafor acts as Alice Ng') }).waitFor()
    await expectAccessible(shop)
    const grace = await listenTo('grace', '/console')
    const name = reads('End: Olivia Okafor is acting as Alice Ng')
    await grace.getByRole('button', { name }).click()
    await expectFocus(grace.getByText('It is ended.'))
    await expectAnnounced(shop, 'Another person ended it.')
    await expectAnnounced(olivia, 'You no longer act as Alice Ng: Grace Lindqvist ended it.')
    await shop.getByRole('heading', { name: 'You no longer act as Alice Ng' }).waitFor()
    await expectAccessible(shop)
    expect(await shop.getByText('A-1002').count()).to.equal(0)
  })

  it("the customer's end and objection are announced", async () => {
    await act(await listenTo('olivia', form('SUP-204')))
    const alice = await listenTo('alice', '/account')
    await alice.getByRole('button', { name: /^End/ }).first().click()
    await expectAnnounced(alice, /ended/i)
    await alice.locator('summary').first().click()
    await expectAccessible(alice)
    await alice.getByRole('textbox').first().fill('I never called')
    await alice.getByRole('button', { name: 'Tell them' }).first().click()
    await expectAnnounced(alice, 'Thank you.')
  })
})
