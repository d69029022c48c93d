import { deepEqual, equal, ok } from 'node:assert/strict'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { enter } from '../support/enter.ts'
import { expectFocus } from '../support/focus.ts'
import { asks, hold } from '../support/holding.ts'
import {
  actIn,
  goTo,
  heading,
  over,
  pressAct,
  reads,
  strip,
  visitDeployment,
} from '../support/operating.ts'

describe('the story of an operator', () => {
  let deployment: Deployment

  before(async () => {
    deployment = await deploy({ console: { ticket: { pattern: /SUP-\d+/ } } })
  })
  after(() => deployment[Symbol.asyncDispose]())

  it('finds a customer, acts in the shop in a tab of its own, and ends it', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page)
    await heading(page, 'Customers').waitFor()
    equal(await page.getByRole('table').count(), 0, 'customers are listed without a search')

    await page.keyboard.press('/')
    await page.keyboard.type('alice')
    await page.getByText(reads('1 customer fits')).waitFor()
    await page.getByRole('link', { name: reads('Act as Alice Ng') }).click()
    await heading(page, 'Act as Alice Ng').waitFor()
    await page.getByLabel('Ticket number').fill('SUP-123')
    await page.getByLabel('Reason').fill('An order did\nnot arrive')
    await page.getByLabel('Look and change').check()
    await page.getByLabel('10 minutes').check()
    const shop = await pressAct(page)
    await actIn(shop, 'olivia', 'alice')
    await shop.getByRole('button', { name: 'Change the note' }).click()
    await shop.getByText('POST /note 200').waitFor()
    equal(new URL(shop.url()).hash, '', 'the subject token is in the address')

    await strip(page).getByText(reads("You're acting as Alice Ng")).waitFor()
    await strip(page).getByText('SUP-123').waitFor()
    await strip(page).getByText('Look and change').waitFor()
    await heading(page, 'Alice Ng').waitFor()
    await page.getByText(reads('Shop is open in a new tab, as Alice Ng.')).waitFor()
    const [running] = (await deployment.ask('olivia', '/running')).body.running
    equal(running.reason, 'An order did not arrive')
    ok(running.expiresAt - running.startedAt === 600_000)

    await strip(page)
      .getByRole('button', { name: reads("End: you're acting as Alice Ng") })
      .click()
    await page.getByText(reads('You no longer act as Alice Ng.')).waitFor()
    await strip(page).waitFor({ state: 'hidden' })
    await goTo(page, '/console')
    await over(page).getByText(reads('You acted as Alice Ng')).waitFor()
    equal((await deployment.ask('olivia', '/running')).body.running.length, 0)
  })

  it('the link of a ticket system lands on the filled-in form, through the sign-in', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    const link = '/console/act?user=bob&ticket=SUP-7&reason=Cannot%20pay'
    await enter(page, 'olivia', link)
    await heading(page, 'Act as Bob Marsh').waitFor()
    equal(await page.getByLabel('Ticket number').inputValue(), 'SUP-7')
    equal(await page.getByLabel('Reason').inputValue(), 'Cannot pay')
    equal(await page.getByLabel('Look only').isChecked(), true)
    equal(await page.getByLabel('5 minutes').isChecked(), true, 'the middle one is not chosen')
    equal((await deployment.ask('olivia', '/running')).body.running.length, 0)
    // The form asks the rule beforehand, which starts nothing.
    equal(visit.urls.filter((url) => url.endsWith('/impersonations')).length, 0, 'it has started')

    const opened = page.context().waitForEvent('page')
    await page.keyboard.press('Control+Enter')
    await actIn(await opened, 'olivia', 'bob')
    await strip(page).getByText(reads("You're acting as Bob Marsh")).waitFor()
    await strip(page).getByRole('button', { name: 'End' }).click()
  })

  it('a second customer is said before the click, which ends the first one; a refusal ends nothing', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'olivia', '/console/act?user=alice&ticket=SUP-1&reason=Order')
    await actIn(await pressAct(page), 'olivia', 'alice')
    await strip(page).getByText(reads("You're acting as Alice Ng")).waitFor()
    await goTo(page, '/console/act?user=alice&ticket=SUP-1&reason=Order')
    await page.getByText(reads("You're already acting as Alice Ng in Shop.")).waitFor()
    await goTo(page, '/console/act?user=bob&ticket=SUP-2&reason=Payment')
    await page
      .getByText(reads("You're acting as Alice Ng in Shop. One customer at a time."))
      .waitFor()
    const go = page.getByRole('button', { name: reads('End that and act as Bob Marsh') })
    const running = async () =>
      (await deployment.ask('olivia', '/running')).body.running.map(
        ({ customer }: { customer: { id: string } }) => customer.id,
      )

    visit.expectFailure('/console/api/impersonations', 403)
    const held = await hold(page, 'POST', asks('/impersonations'))
    const closed = page
      .context()
      .waitForEvent('page')
      .then((tab) => tab.waitForEvent('close'))
    await go.click()
    await held.answer(403, { error: 'access_denied', error_description: 'x' })
    await closed
    await page.getByText(reads('You may not act as Bob Marsh. Nothing was started.')).waitFor()
    deepEqual(await running(), ['alice'])

    const opened = page.context().waitForEvent('page')
    await go.click()
    await actIn(await opened, 'olivia', 'bob')
    deepEqual(await running(), ['bob'])
    await strip(page).getByText(reads("You're acting as Bob Marsh")).waitFor()
    await deployment.endRunning('olivia')
  })

  it('finds a customer and acts by the keyboard alone', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page)
    const search = page.getByRole('searchbox')
    await expectFocus(search)
    const customers = page.getByRole('table').getByRole('rowheader').getByRole('link')
    // Of a list that is not there yet, the key waits for the first row.
    await page.keyboard.type('an')
    await page.keyboard.press('Enter')
    await expectFocus(customers.first())
    await page.keyboard.press('ArrowDown')
    await expectFocus(customers.nth(1))
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await expectFocus(search)
    await page.keyboard.press('Control+A')
    await page.keyboard.type('alice')
    await page.getByText(reads('1 customer fits')).waitFor()
    await page.keyboard.press('Enter')
    await expectFocus(customers.first())
    const act = page.getByRole('link', { name: reads('Act as Alice Ng', 'exact') })
    equal(await act.textContent(), 'Act')
    await page.keyboard.press('Enter')
    await heading(page, 'Alice Ng').waitFor()

    await goTo(page, '/console/act?user=alice&ticket=SUP-9&reason=Order')
    await heading(page, 'Act as Alice Ng').waitFor()
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog').locator('kbd')
    await keys.first().waitFor()
    deepEqual((await keys.allTextContents()).includes('Ctrl + Enter'), true)
    await page.keyboard.press('Escape')
    // It gives the focus back once it has closed.
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByLabel('Ticket number').focus()
    const opened = page.context().waitForEvent('page')
    await page.keyboard.press('Enter')
    await actIn(await opened, 'olivia', 'alice')
    await deployment.endRunning('olivia')
  })

  it('a key that is pressed at the first sight of the form counts', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await page.addInitScript(() => {
      new MutationObserver((_changes, observer) => {
        if (!document.querySelector('.act-form')) return
        observer.disconnect()
        dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true }))
      }).observe(document, { childList: true, subtree: true })
    })
    await enter(page, 'olivia', '/console/act?user=bob')
    await page.getByText('Enter the number of the ticket that this is about.').waitFor()
  })
})
