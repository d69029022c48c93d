import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { scriptOf } from '../../packages/browser/test/support/page.ts'
import { startSites } from '../../packages/browser/test/support/sites.ts'
import { visit } from '../../packages/browser/test/support/visit.ts'
import { expectAccessible } from '../../packages/console/test/e2e/support/axe.ts'
import { browser } from '../../packages/console/test/e2e/support/browser.ts'
import { goTo, heading, reads, strip } from '../../packages/console/test/e2e/support/operating.ts'
import { expectAnnounced, listen } from './support/screen-reader.ts'
import { type LaunchedExample, launchExample } from './support/server.ts'
import { enter } from './support/sign-in.ts'

describe("with a screen reader's eyes", function () {
  this.timeout(120_000)
  let example: LaunchedExample
  let contexts: BrowserContext[]

  before(async () => {
    example = await launchExample()
  })
  beforeEach(() => {
    contexts = []
  })
  afterEach(() => Promise.all(contexts.map((context) => context.close())))
  after(() => example?.[Symbol.asyncDispose]())

  async function listenTo(login: string, path: string): Promise<Page> {
    const options = { baseURL: example.url, locale: 'en-GB', reducedMotion: 'reduce' } as const
    const context = await (await browser()).newContext(options)
    context.setDefaultTimeout(20_000)
    contexts.push(context)
    const page = await context.newPage()
    await enter(page, login, path)
    await listen(page)
    return page
  }

  /** From the form to the orders of alice. */
  async function act(page: Page, ticket: string): Promise<Page> {
    await page.getByLabel('Ticket number').fill(ticket)
    await page.getByLabel('Reason').fill('The parcel did not arrive')
    const opened = page.context().waitForEvent('page')
    await page.getByRole('button', { name: reads('Act as Alice Ng') }).click()
    const shop = await opened
    await shop.getByRole('heading', { name: 'Orders' }).waitFor()
    await listen(shop)
    return shop
  }

  it('the console is read: the search, the form, what runs; a start and an end are announced', async () => {
    const page = await listenTo('olivia', '/console')
    await page.getByRole('searchbox').fill('alice')
    await page.getByRole('link', { name: reads('Act as Alice Ng') }).waitFor()
    await expectAnnounced(page, /1 customer fits/)
    await expectAccessible(page)
    await page.getByRole('link', { name: reads('Act as Alice Ng') }).click()
    await heading(page, 'Act as Alice Ng').waitFor()
    await expectAccessible(page)
    await act(page, 'SUP-201')
    await expectAnnounced(page, 'Shop is open in a new tab, as Alice Ng.')
    await goTo(page, '/console/running')
    await heading(page, 'Running now').waitFor()
    await strip(page).waitFor()
    await expectAccessible(page)
    await strip(page)
      .getByRole('button', { name: reads('End') })
      .click()
    await expectAnnounced(page, 'You no longer act as Alice Ng.')
  })

  it('a refusal is announced', async () => {
    const page = await listenTo('olivia', '/console/act?user=alice&ticket=SUP-202&reason=Parcel')
    await heading(page, 'Act as Alice Ng').waitFor()
    await page.route('**/console/api/impersonations', (route) =>
      route.fulfill({ status: 403, json: { error: 'access_denied', error_description: 'x' } }),
    )
    await page.getByRole('button', { name: reads('Act as Alice Ng') }).click()
    await expectAnnounced(page, 'You may not act as Alice Ng. Nothing was started.')
    await expectAccessible(page)
  })

  it('the application is read, with its banner; an end from elsewhere is announced there and in the console', async () => {
    const olivia = await listenTo('olivia', '/console/act?user=alice')
    await heading(olivia, 'Act as Alice Ng').waitFor()
    const shop = await act(olivia, 'SUP-203')
    await shop.getByRole('region', { name: reads('Olivia Reyes acts as Alice Ng') }).waitFor()
    await expectAccessible(shop)
    const grace = await listenTo('grace', '/console/running')
    await grace
      .getByRole('button', { name: reads('End: Olivia Reyes is acting as Alice Ng') })
      .click()
    await expectAnnounced(grace, 'Olivia Reyes no longer acts as Alice Ng.')
    await expectAnnounced(shop, 'Another person ended it.')
    await expectAnnounced(olivia, 'You no longer act as Alice Ng: Grace Okafor ended it.')
    await shop.getByRole('heading', { name: 'You no longer act as Alice Ng' }).waitFor()
    await expectAccessible(shop)
    expect(await shop.getByText('A-1002').count()).to.equal(0)
  })

  it("the customer's page is read; an objection is a modal dialog, and its answer is announced", async () => {
    const olivia = await listenTo('olivia', '/console/act?user=alice')
    await heading(olivia, 'Act as Alice Ng').waitFor()
    await act(olivia, 'SUP-204')
    const alice = await listenTo('alice', '/account')
    await alice
      .getByText(/SUP-204|Olivia|support/i)
      .first()
      .waitFor()
    await expectAccessible(alice)
    await alice.getByRole('button', { name: /^End/ }).first().click()
    await expectAnnounced(alice, /ended/i)
    await alice
      .getByRole('button', { name: /I did not ask for this/ })
      .first()
      .click()
    await alice.locator('dialog:modal').waitFor()
    await expectAccessible(alice)
    await alice.getByRole('textbox').fill('I never called')
    await alice.getByRole('button', { name: 'Tell them' }).click()
    await expectAnnounced(alice, 'Thank you.')
  })

  it('the cover after an end is a modal dialog that has the focus, and says who ended it', async () => {
    await using sites = await startSites()
    sites.application.script = scriptOf(sites).replace(
      'const said',
      "options.drafts = () => 'What I typed'\n$&",
    )
    await using person = await visit(sites)
    const { page, context } = person
    await sites.signIn(context)
    await page.goto(await sites.link())
    await page.getByText('acting as alice').waitFor()
    const [{ id } = expect.fail('no impersonation')] = (
      await sites.provider.impersonation.list({ state: 'active' })
    ).items
    await sites.provider.impersonation.end(id, { by: { sub: 'alice' }, cause: 'user' })
    const cover = page.getByRole('dialog', {
      name: 'You no longer act as alice',
      description: 'The customer ended it.',
    })
    await cover.and(page.locator(':modal')).waitFor()
    await expectAccessible(page)
    expect(await cover.locator('h1:focus').count(), 'the focus in the cover').to.equal(1)
    await listen(page)
    await page.getByRole('button', { name: 'Copy what I typed' }).click()
    await expectAnnounced(page, /Copied|Select the text/)
  })
})
