import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { browser } from '../../packages/console/test/e2e/support/browser.ts'
import { heading, reads, strip } from '../../packages/console/test/e2e/support/operating.ts'
import { type LaunchedExample, launchExample } from './support/server.ts'
import { linkTo } from './support/shop.ts'
import { submitSignIn } from './support/sign-in.ts'

const PASSWORD = 'demo-password'
/** More than the time after which an arriving tab gives up, and than that between two looks at a status. */
const WATCHED_MS = 7000

describe('nine tabs of one operator', function () {
  this.timeout(120_000)
  let example: LaunchedExample
  const contexts: BrowserContext[] = []

  before(async () => {
    example = await launchExample()
  })
  after(async () => {
    await Promise.all(contexts.map((context) => context.close()))
    await example?.[Symbol.asyncDispose]()
  })

  async function enter(login: string, path: string): Promise<Page> {
    const context = await (await browser()).newContext({ baseURL: example.url, locale: 'en-GB' })
    context.setDefaultTimeout(20_000)
    contexts.push(context)
    const page = await context.newPage()
    await page.goto(path)
    await submitSignIn(page, login, PASSWORD)
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    return page
  }

  async function act(page: Page, name: string): Promise<Page> {
    await heading(page, `Act as ${name}`).waitFor()
    const opened = page.context().waitForEvent('page')
    await page.getByRole('button', { name: reads(`Act as ${name}`) }).click()
    const shop = await opened
    await shop.getByRole('heading', { name: 'Orders' }).waitFor()
    return shop
  }

  it('another Act ends nothing that the operator has not ended, wherever it is', async () => {
    const link = (user: string, ticket: string) =>
      `/console/act?user=${user}&ticket=${ticket}&reason=Parcel`
    const first = await enter('olivia', link('alice', 'SUP-301'))
    const context = first.context()
    // Three pages of the console, and three of the shop, that have not begun anything.
    const paths = ['/console', '/console/running', link('bob', 'SUP-302')]
    for (const url of [...paths, example.shopUrl, example.shopUrl, example.shopUrl]) {
      await (await context.newPage()).goto(url)
    }
    const shop = await act(first, 'Alice Ng')
    const ends: string[] = []
    context.on('request', (request) => {
      if (request.method() === 'POST' && /\/end$/.test(request.url())) ends.push(request.url())
    })

    // Another operator acts, and a link for another customer arrives in the ninth tab.
    const other = await enter('oscar', link('bob', 'SUP-303'))
    await act(other, 'Bob Meyer')
    const asked = shop.waitForRequest('**/impersonations/current')
    const ninth = await context.newPage()
    expect(context.pages()).to.have.length(9)
    await ninth.goto(await linkTo(example, { userId: 'bob' }))
    await asked
    await ninth.getByText('Another tab of this browser acts as a customer').waitFor()
    for (const page of context.pages()) await page.bringToFront()
    await shop.waitForTimeout(WATCHED_MS)

    expect(ends, 'requests for an end').to.deep.equal([])
    await shop.getByText('A-1002').first().waitFor()
    await shop.getByRole('region', { name: reads('Olivia Reyes acts as Alice Ng') }).waitFor()
    await first.bringToFront()
    await strip(first).getByText(reads("You're acting as Alice Ng")).waitFor()
    await strip(first).getByText('SUP-301').waitFor()
  })
})
