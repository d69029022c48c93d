import { deepEqual, equal } from 'node:assert/strict'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { type FaultyAudit, faultyAudit } from '../../support/faulty-audit.ts'
import { enter } from '../support/enter.ts'
import { actIn, pressAct, reads, strip, visitDeployment } from '../support/operating.ts'

describe('the page of a customer', () => {
  let deployment: Deployment
  let audit: FaultyAudit

  before(async () => {
    const url = (ticket: string) => `https://tickets.example/${ticket}`
    audit = faultyAudit()
    deployment = await deploy({ audit, console: { ticket: { pattern: /SUP-\d+/, url } } })
  })
  after(() => deployment[Symbol.asyncDispose]())

  it('does not go on to say that the application is open, when it was ended there', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'olivia', '/console/act?user=alice&ticket=SUP-5&reason=Order')
    await actIn(await pressAct(page), 'olivia', 'alice')
    await strip(page).getByText(reads("You're acting as Alice Ng")).waitFor()
    await page.getByText(reads('Shop is open in a new tab, as Alice Ng.')).waitFor()
    const main = page.getByRole('main')
    await main.getByText(reads('No one else is acting as Alice Ng right now.')).waitFor()
    equal(await main.getByText(reads("You're acting as Alice Ng")).count(), 0, 'once is enough')
    equal(await main.locator('.primary').count(), 0, 'to act again is not what comes next')
    await deployment.endRunning('olivia')
    await page.getByText(reads('You no longer act as Alice Ng.')).waitFor()
    equal(await page.getByText(reads('Shop is open')).count(), 0)
  })

  it('says that the application is open once it acts, and before that where to look', async () => {
    await using visit = await visitDeployment(deployment)
    const { page, context } = visit
    await enter(page, 'olivia', '/console/act?user=alice&ticket=SUP-6&reason=Order')
    const released = Promise.withResolvers<void>()
    await context.route(`${deployment.shopUrl}/**`, async (route) => {
      await released.promise
      await route.continue()
    })
    const tab = await pressAct(page)
    const notYet = page.getByText(reads('Shop has not started it yet. Look at its tab.'))
    await notYet.waitFor()
    equal(await page.getByText(reads('Shop is open')).count(), 0, 'it is not true yet')
    released.resolve()
    await actIn(tab, 'olivia', 'alice')
    await page.getByText(reads('Shop is open in a new tab, as Alice Ng.')).waitFor()
    equal(await notYet.count(), 0)
  })

  it('keeps the form in its place, and the names, while the storages fail', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await deployment.impersonate({ customer: 'bob', ticket: 'SUP-6' })
    await enter(page, 'olivia', '/console/act?user=bob&ticket=SUP-6')
    const named = strip(page).getByText(reads("You're acting as Bob Marsh"))
    await named.waitFor()
    const reason = page.getByLabel('Reason')
    await reason.fill('What is typed')
    const place = await reason.boundingBox()
    visit.expectFailure(/\/console\/api\//, 503)
    audit.failing = 'all'
    deployment.faults.directory = true
    try {
      const again = page.waitForResponse((answer) => answer.url().endsWith('/api/running'))
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      await again
      await page.getByText('This cannot be shown right now').waitFor()
      equal(await named.isVisible(), true, 'the name is gone')
      deepEqual(await reason.boundingBox(), place, 'the form has moved')
      equal(await reason.inputValue(), 'What is typed')
    } finally {
      audit.failing = []
      deployment.faults.directory = false
    }
    // It goes by itself, too: the button may be gone before the click.
    const again = page.getByRole('button', { name: 'Try again' })
    await again.click({ timeout: 2000 }).catch(() => {})
    await page.getByText('This cannot be shown right now').waitFor({ state: 'detached' })
  })
})
