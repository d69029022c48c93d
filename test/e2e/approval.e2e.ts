import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { heading, reads } from '../../packages/console/test/e2e/support/operating.ts'
import '../../packages/console/test/e2e/support/disposal.ts'
import { browser } from '../../packages/console/test/e2e/support/browser.ts'
import { type StartedExample, startExampleHere } from './support/server.ts'
import { enter } from './support/sign-in.ts'

/** What a newcomer tries first: a second person approves. */
describe('an approval in the example', function () {
  this.timeout(180_000)
  let example: StartedExample

  before(async () => {
    example = await startExampleHere()
  })
  after(() => example[Symbol.asyncDispose]())

  const faults: string[] = []

  interface Person extends AsyncDisposable {
    readonly page: Page
    readonly context: BrowserContext
  }

  async function sitDown(): Promise<Person> {
    const options = { baseURL: example.url, locale: 'en-GB', reducedMotion: 'reduce' } as const
    const context = await (await browser()).newContext(options)
    context.setDefaultTimeout(20_000)
    context.on('weberror', (error) => faults.push(String(error.error())))
    const page = await context.newPage()
    return { page, context, [Symbol.asyncDispose]: () => context.close() }
  }

  it('grace approves in another browser, olivia acts, grace takes it back, and the shop is covered', async () => {
    await using olivia = await sitDown()
    await using grace = await sitDown()
    await enter(grace.page, 'grace', '/console/approvals')
    await enter(
      olivia.page,
      'olivia',
      '/console/act?user=chidi&ticket=SUP-200&reason=The+address+is+wrong',
    )
    const act = { name: reads('Act as Chidi Okeke'), exact: true } as const
    await heading(olivia.page, 'Act as Chidi Okeke').waitFor()
    await olivia.page.getByLabel('Look and change').check()
    await olivia.page.getByRole('button', act).click()
    await olivia.page
      .getByText(/can decide\./)
      .first()
      .waitFor()
    await olivia.page.getByRole('button', { name: 'Ask for approval' }).click()
    await olivia.page
      .getByText(/(?:was|were) asked/)
      .first()
      .waitFor()

    await grace.page.getByRole('button', { name: /^Approve: / }).click()
    await grace.page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
    await grace.page.getByText(reads('Approved: Olivia Reyes as Chidi Okeke.')).waitFor()

    await olivia.page.getByText(reads('You may act as Chidi Okeke until')).waitFor()
    const opened = olivia.context.waitForEvent('page')
    await olivia.page.getByRole('button', act).first().click()
    const shop = await opened
    await shop.getByRole('heading', { name: 'Orders' }).waitFor()

    await grace.page.getByRole('button', { name: /^Take back: / }).click()
    await grace.page.getByRole('dialog').getByRole('button', { name: 'Take back' }).click()
    await shop.getByRole('heading', { name: 'You no longer act as Chidi Okeke' }).waitFor()
    expect(faults).to.deep.equal([])
  })

  it('dana is asked and allows it on the account page; erin’s organisation is closed', async () => {
    await using olivia = await sitDown()
    await using dana = await sitDown()
    await enter(olivia.page, 'olivia', '/console/act?user=dana&ticket=SUP-201&reason=A+parcel')
    await olivia.page.getByRole('button', { name: reads('Act as Dana Schmidt') }).click()
    await olivia.page.getByText('The customer is asked on their account page.').waitFor()
    await olivia.page.getByRole('button', { name: 'Ask for approval' }).click()
    await olivia.page.getByText('The customer was asked').waitFor()
    await enter(dana.page, 'dana', '/account')
    await dana.page.getByRole('button', { name: /^Allow: / }).click()
    await olivia.page.getByText(reads('You may act as Dana Schmidt until')).waitFor()

    await olivia.page.goto('/console/act?user=erin&ticket=SUP-202&reason=A+parcel')
    await olivia.page.getByText('Kestrel Ltd has closed its accounts to support.').waitFor()
    expect(faults).to.deep.equal([])
  })
})
