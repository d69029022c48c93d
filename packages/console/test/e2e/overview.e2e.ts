import { expect } from 'chai'
import type { Authorize } from 'oidc-provider-impersonation'
import { createPermits, type Permits } from 'oidc-provider-impersonation-console'
import { type Deployment, deploy } from '../support/deployment.ts'
import { memoryAudit } from '../support/memory-audit.ts'
import { storePast } from './support/audit-rows.ts'
import { enter } from './support/enter.ts'
import { expectFocus } from './support/focus.ts'
import { heading, reads, visitDeployment } from './support/operating.ts'
import { expectGoodLooks } from './support/pictures.ts'

const DAY_MS = 86_400_000

const rule: Authorize = ({ scope = '' }) =>
  scope.includes('orders:write') ? { needs: ['second_person'], emergency: true } : true

describe('the overview', function () {
  this.timeout(120_000)
  let permits: Permits
  let deployment: Deployment

  beforeEach(async () => {
    const audit = memoryAudit()
    permits = createPermits({ audit, approvers: () => [{ id: 'grace', name: 'Grace Lindqvist' }] })
    deployment = await deploy({ audit, authorize: permits.wrap(rule), console: { permits } })
  })
  afterEach(async () => {
    await permits.close()
    await deployment[Symbol.asyncDispose]()
  })

  const facts = () => ({
    ...{ customer: 'alice', operator: 'olivia', application: 'shop', ticket: 'SUP-1' },
    ...{ resource: `${deployment.url}/orders`, scope: 'orders:read orders:write' },
    reason: 'The address is wrong',
  })

  /** A month in which something happened on most days. */
  async function storeMonth(): Promise<void> {
    const now = Date.now()
    await storePast(
      deployment.audit,
      Array.from({ length: 60 }, (_, index) => {
        const at = now - (index % 27) * DAY_MS - 3_600_000
        const more = index % 9 === 0 ? { objection: 'I never called' } : {}
        return index % 2 === 0 ? { at, ...more } : { at, end: 'requested' as const, ...more }
      }),
    )
    await deployment.settled()
  }

  it('is where a lead begins: who acts now and what waits, as it happens, with one number in the tab', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'grace')
    await heading(page, 'Overview').waitFor()
    expect(new URL(page.url()).pathname).to.equal('/console')
    await page.getByText('Nothing waits for you.').waitFor()
    await page.getByText('No one is acting as a customer right now.').waitFor()
    await page.waitForFunction(() => document.title === 'Overview')

    const running = await deployment.impersonate({ access: 'read' })
    await page.getByRole('row', { name: /^Alice Ng/ }).waitFor()
    await permits.emergency(facts())
    await page.getByRole('link', { name: reads('1 act without approval to look at') }).waitFor()
    await permits.request({ ...facts(), customer: 'bob', operator: 'oscar', for: 600 })
    await page.getByRole('link', { name: '1 request waits for you', exact: true }).waitFor()
    await running.replay()
    await page.getByRole('link', { name: '1 alarm to look at now', exact: true }).waitFor()
    await page.waitForFunction(() => document.title === '(3) Overview')
    expect(
      await page.getByRole('main').locator('.waiting').getByRole('heading').allTextContents(),
      'the most important first',
    ).to.deep.equal([
      '1 request waits for you',
      '1 act without approval to look at',
      '1 alarm to look at now',
    ])
    expect(await page.getByText('Nothing waits for you.').count()).to.equal(0)
    // The number stays on other pages.
    await page.getByRole('link', { name: reads('Oscar Öhman as Bob Marsh') }).click()
    await page.waitForFunction(() => document.title.startsWith('(3) '))
  })

  it('counts what happens today without a reload', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'grace')
    await page
      .getByRole('img', { name: /none in 30 days/ })
      .first()
      .waitFor()
    const { end } = await deployment.impersonate({ access: 'read' })
    await page.getByRole('img', { name: /1 in 30 days/ }).waitFor()
    await page.getByText(reads('Running now 1')).waitFor()
    await end()
    await page.getByText(reads('Ended by support 1')).waitFor()
  })

  it('has a table behind each picture, by the keyboard, whose days lead to the audit', async () => {
    await storeMonth()
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'ada')
    await heading(page, 'Overview').waitFor()
    const open = page.getByText('As a table').first()
    await open.waitFor()
    await open.focus()
    await page.keyboard.press('Enter')
    const table = page.getByRole('table', { name: 'Starts, and how they ended' })
    await table.waitFor()
    expect(await table.getByRole('row').count()).to.equal(28)
    expect(await table.getByRole('columnheader').allTextContents()).to.deep.equal([
      ...['Day', 'Ended by support', 'Time ran out', 'Ended by the customer'],
      ...['Ended by a rule', 'Running now'],
    ])
    const yesterday = table.getByRole('row').nth(2)
    expect(await yesterday.getByRole('cell').allTextContents()).to.deep.equal([
      '2',
      '1',
      '0',
      '0',
      '0',
    ])
    await yesterday.getByRole('link').click()
    await page.getByText(reads('3 impersonations in all')).waitFor()
    await page.goBack()
    await expectFocus(heading(page, 'Overview'))
  })

  it('is good to look at where nothing happened yet', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'grace')
    await page.getByRole('img').nth(1).waitFor()
    expect(await page.getByText('As a table').count()).to.equal(0)
    await expectGoodLooks(page, 'overview-empty')
  })

  it('is good to look at, also in German', async () => {
    await storeMonth()
    await permits.request({ ...facts(), for: 600 })
    await permits.emergency({ ...facts(), customer: 'bob' })
    await deployment.impersonate({ access: 'read', customer: 'carla' })
    await using german = await visitDeployment(deployment, { locale: 'de-DE' })
    const { page } = german
    await enter(page, 'grace')
    await heading(page, 'Überblick').waitFor()
    await page.getByRole('row', { name: /Carla/ }).waitFor()
    await expectGoodLooks(page, 'overview-de')
    await page.getByText('Als Tabelle').first().click()
    await page.getByRole('table', { name: 'Begonnen, und wie es endete' }).waitFor()
    await expectGoodLooks(page, 'overview-table-de')
  })

  it('is no page of operators: they begin with their customers', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'olivia')
    await heading(page, 'Customers').waitFor()
    expect(await page.getByRole('link', { name: 'Overview' }).count()).to.equal(0)
  })
})
