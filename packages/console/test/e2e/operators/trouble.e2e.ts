import { equal, match } from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { CUSTOMERS, type Deployment, deploy } from '../../support/deployment.ts'
import { enter } from '../support/enter.ts'
import { expectFocus } from '../support/focus.ts'
import { asks, hold } from '../support/holding.ts'
import {
  actIn,
  goTo,
  heading,
  pressAct,
  reads,
  strip,
  visitDeployment,
} from '../support/operating.ts'

const LINK = '/console/act?user=alice&ticket=SUP-1&reason=An%20order'

/** Resolves when a tab was opened and closed again: that can be one moment. */
async function nextTabClosed(page: Page): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  page
    .context()
    .once('page', (tab) => (tab.isClosed() ? resolve() : tab.once('close', () => resolve())))
  await promise
}

describe('what goes wrong for an operator', () => {
  let deployment: Deployment

  before(async () => {
    deployment = await deploy({ console: { ticket: { pattern: /SUP-\d+/, example: 'SUP-77' } } })
  })
  after(() => deployment[Symbol.asyncDispose]())

  it('problems stand at their fields, and the first one has the focus', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'olivia', '/console/act?user=alice&ticket=12')
    await page.getByRole('button', { name: reads('Act as Alice Ng') }).click()
    const ticket = page.getByLabel('Ticket number')
    await expectFocus(ticket)
    match((await ticket.getAttribute('aria-describedby')) ?? '', /ticket/)
    await page.getByText(reads('A ticket number looks like this here: SUP-77')).waitFor()
    await page.getByText('Say in a few words what the customer asked for.').waitFor()
    await ticket.fill('SUP-12')
    await page.getByText('This is not what').waitFor({ state: 'detached' })
    await page.getByLabel('Reason').fill('x'.repeat(501))
    await page.keyboard.press('Control+Enter')
    await page.getByText(reads('A reason has at most 500 characters. This one has 501.')).waitFor()
    equal(visit.urls.filter((url) => url.endsWith('/impersonations')).length, 0)

    // Only the server knows that it does not store this.
    visit.expectFailure('/console/api/impersonations', 400)
    await page.getByLabel('Reason').fill('turned \u202E around')
    const closed = nextTabClosed(page)
    await page.keyboard.press('Control+Enter')
    await closed
    await page.getByText('This text has characters that cannot be stored.').waitFor()
    await expectFocus(page.getByLabel('Reason'))
  })

  it('a blocked pop-up starts nothing, and says what to do', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'olivia', LINK)
    await page.evaluate(() => {
      window.open = () => null
    })
    await page.getByRole('button', { name: reads('Act as Alice Ng') }).click()
    await page.getByText('Allow pop-ups for this page').waitFor()
    equal(visit.urls.filter((url) => url.endsWith('/impersonations')).length, 0)
    equal(await page.getByLabel('Ticket number').inputValue(), 'SUP-1')
  })

  it('a protected customer says why; an unknown one is said plainly', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page)
    await page.getByRole('searchbox').fill('paula')
    const why = CUSTOMERS.find(({ id }) => id === 'paula')?.protected ?? ''
    await page.getByText(why).waitFor()
    equal(await page.getByRole('link', { name: reads('Act as Paula Protected') }).count(), 0)
    await goTo(page, '/console/act?user=paula&ticket=SUP-1&reason=x')
    await page.getByText(reads(`You cannot act as Paula Protected. ${why}`)).waitFor()
    equal(await page.getByRole('button', { name: /^Act as/ }).count(), 0)

    visit.expectFailure('/console/api/customers/mallory', 404)
    await goTo(page, '/console/act?user=mallory')
    await heading(page, 'There is no such customer').waitFor()
    await page.getByText(reads('There is no customer with the id mallory.')).waitFor()
    await goTo(page, '/console/act')
    await page.getByText('This link names no customer.').waitFor()
  })

  it('an outage while it starts keeps the form; trying again takes what stands in it then', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'olivia', LINK)
    visit.expectFailure('/console/api/impersonations', 503)
    const held = await hold(page, 'POST', asks('/impersonations'))
    const closed = nextTabClosed(page)
    await pressAct(page)
    await held.answer(503, { error: 'server_error', error_description: 'x' })
    await closed
    await page.getByText('The server has trouble.').waitFor()
    await page.getByLabel('Ticket number').fill('SUP-2')
    const opened = page.context().waitForEvent('page')
    await page.getByRole('button', { name: 'Try again' }).click()
    await actIn(await opened, 'olivia', 'alice')
    const [running] = (await deployment.ask('olivia', '/running')).body.running
    equal(running.ticket, 'SUP-2')
    await deployment.endRunning('olivia')
    await strip(page).waitFor({ state: 'hidden' })
  })

  it('what is typed survives a reload and a new sign-in, and is gone after the start', async () => {
    await using visit = await visitDeployment(deployment)
    const { page, context } = visit
    await enter(page, 'olivia', '/console/act?user=bob')
    await page.getByLabel('Ticket number').fill('SUP-88')
    await page.getByLabel('Reason').fill('Typed once')
    await page.getByLabel('Look and change').check()
    await context.clearCookies()
    await enter(page, 'olivia', page.url())
    equal(await page.getByLabel('Ticket number').inputValue(), 'SUP-88')
    equal(await page.getByLabel('Reason').inputValue(), 'Typed once')
    equal(await page.getByLabel('Look and change').isChecked(), true)
    await actIn(await pressAct(page, 'Bob Marsh'), 'olivia', 'bob')
    await goTo(page, '/console/act?user=bob')
    await heading(page, 'Act as Bob Marsh').waitFor()
    equal(await page.getByLabel('Reason').inputValue(), '')
    equal(await page.getByLabel('Look only').isChecked(), true)
    await deployment.endRunning('olivia')
  })
})
