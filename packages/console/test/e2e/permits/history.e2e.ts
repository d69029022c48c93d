import { expect } from 'chai'
import type { Authorize } from 'oidc-provider-impersonation'
import { createPermits, type Permits } from 'oidc-provider-impersonation-console'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { enter } from '../support/enter.ts'
import { heading, visitDeployment } from '../support/operating.ts'
import { expectGoodLooks } from '../support/pictures.ts'

const rule: Authorize = ({ scope = '' }) =>
  scope.includes('orders:write') ? { needs: ['second_person'], emergency: true } : true

describe('the history of approvals', function () {
  this.timeout(120_000)
  let permits: Permits
  let deployment: Deployment

  beforeEach(async () => {
    const audit = memoryAudit()
    permits = createPermits({
      audit,
      approvers: () => [{ id: 'grace', name: 'Grace Lindqvist' }],
    })
    deployment = await deploy({ audit, authorize: permits.wrap(rule), console: { permits } })
    const facts = {
      customer: 'alice',
      operator: 'olivia',
      application: 'shop',
      reason: 'The parcel',
      resource: `${deployment.url}/orders`,
      scope: 'orders:read orders:write',
    }
    const { id } = await permits.request({ ...facts, ticket: 'SUP-1' })
    await permits.decide(id, 'declined', { by: 'grace', note: 'Call them first' })
    await permits.emergency({ ...facts, ticket: 'SUP-2', why: 'It cannot wait' })
    const { id: granted } = await permits.request({ ...facts, customer: 'bob', ticket: 'SUP-3' })
    await permits.decide(granted, 'granted', { by: 'grace', note: 'Saw it' })
  })
  afterEach(async () => {
    await permits.close()
    await deployment[Symbol.asyncDispose]()
  })

  it('is one click from what is open, and good to look at, also in German', async () => {
    for (const [locale, name] of [
      ['en-GB', 'Requests'],
      ['de-DE', 'Anfragen'],
    ] as const) {
      await using ada = await visitDeployment(deployment, { locale })
      const { page } = ada
      await enter(page, 'ada', '/console/audit')
      await page.getByRole('link', { name, exact: true }).click()
      await heading(page, name).waitFor()
      await page.getByRole('list', { name }).locator('summary').first().click()
      await page.getByRole('list', { name }).getByText('Saw it').waitFor()
      await expectGoodLooks(page, `history-${locale}`)
    }
  })

  it('is searched while it is typed, and is saved as a file', async () => {
    await using grace = await visitDeployment(deployment)
    const { page } = grace
    await enter(page, 'grace', '/console/records')
    const cards = page.getByRole('list', { name: 'Requests' }).locator('> li')
    await cards.nth(2).waitFor()
    const search = page.getByLabel('Search')
    await search.focus()
    await page.keyboard.type('saw')
    await cards.nth(1).waitFor({ state: 'detached' })
    await cards.locator('summary').getByText('SUP-3').waitFor()
    expect(await search.evaluate((input) => input === document.activeElement)).to.equal(true)
    const downloaded = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export as CSV' }).click()
    expect((await downloaded).suggestedFilename()).to.equal('records.csv')
    await page.getByRole('link', { name: 'Clear all' }).click()
    await cards.nth(2).waitFor()
  })
})
