import { deepEqual, equal } from 'node:assert/strict'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { type FaultyAudit, faultyAudit } from '../../support/faulty-audit.ts'
import { enter } from '../support/enter.ts'
import { actIn, heading, pressAct, reads, strip, visitDeployment } from '../support/operating.ts'

describe('the page of a customer', () => {
  let deployment: Deployment
  let audit: FaultyAudit

  before(async () => {
    const url = (ticket: string) => `https://tickets.example/${ticket}`
    audit = faultyAudit()
    deployment = await deploy({ audit, console: { ticket: { pattern: /SUP-\d+/, url } } })
  })
  after(() => deployment[Symbol.asyncDispose]())

  it('follows what the operator runs, without a reload', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'olivia', '/console/customers/bob')
    await page.getByText(reads('No one has acted as Bob Marsh yet.')).waitFor()
    const running = await deployment.impersonate({ customer: 'bob', ticket: 'SUP-7' })
    const row = page.getByRole('table', { name: 'History' }).getByRole('row', { name: /SUP-7/ })
    await row.getByText('Running now', { exact: true }).waitFor()
    await running.look()
    await row.getByText('1 read', { exact: true }).waitFor()
    await running.end()
    await row.getByText('Ended by the operator', { exact: true }).waitFor()
  })

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

  it('shows what another operator starts, which no event tells', async () => {
    await using visit = await visitDeployment(deployment, { clock: new Date() })
    const { page } = visit
    await enter(page, 'olivia', '/console/customers/carla')
    await heading(page, 'Carla Nunes').waitFor()
    await deployment.impersonate({ operator: 'oscar', customer: 'carla', ticket: 'SUP-8' })
    await deployment.settled()
    await page.clock.fastForward(10_000)
    await page.getByText(reads('Oscar Öhman is acting as Carla Nunes right now')).first().waitFor()
    const row = page.getByRole('table', { name: 'History' }).getByRole('row', { name: /SUP-8/ })
    await row.getByText('Running now', { exact: true }).waitFor()
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

  it('leads from a ticket to the ticket system, in a tab that cannot reach the console', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await deployment.impersonate({ ticket: 'SUP-9' })
    await enter(page, 'olivia', '/console/customers/alice')
    await strip(page).waitFor()
    await page.getByRole('table', { name: 'History' }).waitFor()
    const links = page.getByRole('link', { name: 'SUP-9 (opens in a new tab)' })
    equal(await links.count(), 2, 'in the strip, and in what was before')
    for (const link of await links.all()) {
      equal(await link.getAttribute('href'), 'https://tickets.example/SUP-9')
      equal(await link.getAttribute('target'), '_blank')
      equal(await link.getAttribute('rel'), 'noopener noreferrer')
    }
  })
})
