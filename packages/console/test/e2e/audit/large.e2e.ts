import { expect } from 'chai'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { openFilter, rowLinks, waitForAll } from '../support/audit-page.ts'
import { type Past, storePast } from '../support/audit-rows.ts'
import { enter } from '../support/enter.ts'
import { expectFocus } from '../support/focus.ts'
import { visitDeployment } from '../support/operating.ts'

describe('an audit of 2,000 impersonations, and an empty one', () => {
  let deployment: Deployment

  beforeEach(async () => {
    deployment = await deploy()
  })
  afterEach(() => deployment[Symbol.asyncDispose]())

  it('shows the first page, all older ones by a button, and says how many it shows', async () => {
    const past: Past[] = Array.from({ length: 2000 }, (_, index) => ({
      at: Date.now() - (2000 - index) * 600_000,
      ticket: `T-${index + 1}`,
    }))
    await storePast(deployment.audit, past)
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'ada', '/console/audit')
    await page.getByText('50 impersonations are shown', { exact: true }).waitFor()
    const older = page.getByRole('button', { name: 'Show older ones' })
    for (let shown = 50; shown < 2000; shown = Math.min(2000, shown + 200)) {
      await older.click()
      await expectFocus(page.locator(`.list tr:nth-child(${shown + 1}) a`))
    }
    await waitForAll(page, 2000)
    expect(await older.count()).to.equal(0)
    const tickets = await page.locator('.list .ticket').allTextContents()
    expect(new Set(tickets).size).to.equal(2000)
    expect(tickets.at(-1)).to.equal('T-1')
  }).timeout(60_000)

  it('begins empty, says so, and announces the first one', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'ada', '/console/audit')
    await page.getByText('There is nothing in the audit yet.').waitFor()
    await deployment.impersonate()
    await deployment.settled()
    await page.getByText('1 new impersonation', { exact: true }).waitFor()
    expect(await rowLinks(page).count()).to.equal(0)
    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await waitForAll(page, 1)
  })

  it('says that the audit cannot be read, and tries again', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'ada', '/console/audit')
    await page.getByText('There is nothing in the audit yet.').waitFor()
    await page.route('**/api/audit?*', (route) => route.abort())
    visit.expectFailure(/\/api\/audit\?/)
    await openFilter(page)
    await page.getByLabel('Ticket').fill('T-1')
    await page.getByText('The server does not answer.').waitFor()
    await page.unroute('**/api/audit?*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText('Nothing matches the filter.').waitFor()
  })
})
