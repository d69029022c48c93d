import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { heading, over, reads, strip } from '../../packages/console/test/e2e/support/operating.ts'
import { shared } from '../support/shared.ts'
import '../../packages/console/test/e2e/support/disposal.ts'
import { browser } from '../../packages/console/test/e2e/support/browser.ts'
import { startExampleHere } from './support/server.ts'
import { enter } from './support/sign-in.ts'

const MINUTE = 60_000

/** Two operators, a lead, an auditor and a customer, each at a machine of their own, at once. */
describe('the story', function () {
  this.timeout(180_000)

  const example = shared(() => startExampleHere())

  const faults: string[] = []

  interface Person extends AsyncDisposable {
    readonly page: Page
    readonly context: BrowserContext
  }

  async function sitDown(clock?: Date): Promise<Person> {
    const options = { baseURL: example.url, locale: 'en-GB', reducedMotion: 'reduce' } as const
    const context = await (await browser()).newContext(options)
    context.setDefaultTimeout(20_000)
    context.on('weberror', (error) => faults.push(String(error.error())))
    if (clock) await context.clock.install({ time: clock })
    const page = await context.newPage()
    return { page, context, [Symbol.asyncDispose]: () => context.close() }
  }

  async function act(
    { page, context }: Person,
    { customer, ticket, minutes }: { customer: string; ticket: string; minutes: number },
  ): Promise<Page> {
    await page.getByRole('searchbox').fill(customer.split(' ')[0] ?? '')
    await page.getByRole('link', { name: reads(`Act as ${customer}`) }).click()
    await heading(page, `Act as ${customer}`).waitFor()
    await page.getByLabel('Ticket number').fill(ticket)
    await page.getByLabel('Reason').fill('The parcel did not arrive')
    await page.getByLabel('Look and change').check()
    await page.getByLabel(`${minutes} minutes`).check()
    const opened = context.waitForEvent('page')
    await page.getByRole('button', { name: reads(`Act as ${customer}`) }).click()
    const shop = await opened
    await shop.getByRole('heading', { name: 'Orders' }).waitFor()
    return shop
  }

  const order = (shop: Page, id: string) => shop.locator(`[data-order="${id}"]`)
  const note = (shop: Page, id: string) => order(shop, id).getByLabel('Delivery note')
  const save = (shop: Page, id: string) =>
    order(shop, id).getByRole('button', { name: 'Save note' }).click()

  it('olivia helps alice, grace ends it, alice objects, and ada knows who did what and why', async () => {
    await using olivia = await sitDown(new Date())
    await using oscar = await sitDown()
    await using grace = await sitDown()
    await using alice = await sitDown()
    await using ada = await sitDown()
    await enter(olivia.page, 'olivia', '/console')
    await enter(oscar.page, 'oscar', '/console')
    await enter(grace.page, 'grace', '/console')
    await enter(ada.page, 'ada', '/console/audit')

    // Olivia finds alice, changes a note, and is refused the address.
    const first = await act(olivia, { customer: 'Alice Ng', ticket: 'SUP-123', minutes: 2 })
    expect(await first.title()).to.equal('Acting as Alice Ng · Corner Coffee')
    await note(first, 'A-1002').fill('Ring twice')
    await save(first, 'A-1002')
    await first.getByText('The note is saved.').waitFor()
    await first.getByLabel('E-mail address').fill('alice@example.org')
    await first.getByRole('button', { name: 'Save address' }).click()
    await first.getByText('Only Alice Ng can change this e-mail address.').waitFor()
    await note(first, 'A-1003').fill('Leave it with Mr Okafor next door')

    await act(oscar, { customer: 'Bob Marsh', ticket: 'SUP-124', minutes: 10 })
    const runs = (text: RegExp) => grace.page.getByRole('row', { name: text })
    await runs(/Alice Ng.*SUP-123/).waitFor()
    await runs(/Bob Marsh.*SUP-124/).waitFor()

    // The time is over. She goes on without typing anything again.
    example.moveClock(2 * MINUTE + 1000)
    await olivia.context.clock.fastForward(2 * MINUTE + 1000)
    await first.getByRole('heading', { name: 'You no longer act as Alice Ng' }).waitFor()
    const opened = olivia.context.waitForEvent('page')
    await olivia.page.getByRole('link', { name: 'Customers', exact: true }).click()
    await over(olivia.page)
      .getByRole('button', { name: reads('Continue for SUP-123') })
      .click()
    const second = await opened
    await second.getByText('What you typed before is back. It is not saved yet.').waitFor()
    await first.getByRole('heading', { name: 'You go on in another tab' }).waitFor()
    await save(second, 'A-1003')
    await second.getByText('The note is saved.').waitFor()
    await order(second, 'A-1003').getByText('Leave it with Mr Okafor next door').waitFor()

    // Grace sees it run, and ends it. What oscar does goes on.
    await grace.page
      .getByRole('button', { name: reads('End: Olivia Okafor is acting as Alice Ng') })
      .click()
    await runs(/SUP-123/).waitFor({ state: 'detached' })
    // The orders API looks at the status list again after some seconds.
    for (let status = 200; status !== 401; ) {
      const answered = second.waitForResponse(
        (it) => it.url().endsWith('/A-1002') && it.request().method() === 'PATCH',
      )
      await save(second, 'A-1002')
      status = (await answered).status()
    }
    await second.getByRole('heading', { name: 'You no longer act as Alice Ng' }).waitFor()
    await strip(oscar.page).getByText(reads("You're acting as Bob Marsh")).waitFor()

    // Alice sees what was done, in the words of the shop, and objects.
    await enter(alice.page, 'alice', '/account')
    const past = alice.page.getByRole('region', { name: 'Earlier' }).getByRole('article').first()
    await past.getByText('SUP-123').waitFor()
    await past.getByText('Changed the delivery note of an order').first().waitFor()
    expect(await alice.page.getByText('The parcel did not arrive').count(), 'internal').to.equal(0)
    await past.locator('summary').click()
    await past.getByRole('textbox').fill('I never called')
    await past.getByRole('button', { name: 'Tell them' }).click()
    await alice.page.getByText('Thank you.').waitFor()
    await until(() => example.log().includes('alarm: objection, olivia as alice'))

    // Ada: who acted as alice, why, and what did they do?
    const { page } = ada
    await page.getByLabel('Search', { exact: true }).fill('alice')
    const rows = page.getByRole('table').getByRole('rowheader').getByRole('link')
    await rows.nth(1).waitFor()
    await rows.first().click()
    await heading(page, 'Olivia Okafor as Alice Ng').waitFor()
    await page.getByText('The parcel did not arrive').first().waitFor()
    await page.getByText('Changed the delivery note of an order').first().waitFor()
    await page.getByText('I never called').first().waitFor()
    expect(faults).to.deep.equal([])
  })
})

/** Waits until it is so, twenty seconds at most. */
async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + 20_000
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error('it did not come true within twenty seconds')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
