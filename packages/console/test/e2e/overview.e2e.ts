import { expect } from 'chai'
import type { Authorize } from 'oidc-provider-impersonation'
import { createPermits, type Permits } from 'oidc-provider-impersonation-console'
import { type Deployment, deploy } from '../support/deployment.ts'
import { memoryAudit } from '../support/memory-audit.ts'
import { enter } from './support/enter.ts'
import { heading, visitDeployment } from './support/operating.ts'
import { expectGoodLooks } from './support/pictures.ts'

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
    customer: 'alice',
    operator: 'olivia',
    application: 'shop',
    ticket: 'SUP-1',
    resource: `${deployment.url}/orders`,
    scope: 'orders:read orders:write',
    reason: 'The address is wrong',
  })

  it('is where a lead begins: who acts now and what waits, as it happens, with one number in the tab', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'grace')
    await heading(page, 'Inbox').waitFor()
    expect(new URL(page.url()).pathname).to.equal('/console')
    await page.getByText('Nothing waits for you.').waitFor()
    await page.getByText('No one is acting as a customer right now.').waitFor()
    await page.waitForFunction(() => document.title === 'Inbox')

    const running = await deployment.impersonate({ access: 'read' })
    await page.getByRole('row', { name: /^Alice Ng/ }).waitFor()
    await permits.emergency({ ...facts(), why: 'It cannot wait' })
    await page.getByText('1 thing waits for you.').first().waitFor()
    await permits.request({ ...facts(), customer: 'bob', operator: 'oscar' })
    await page.getByText('2 things wait for you.').first().waitFor()
    await running.replay()
    await page.waitForFunction(() => document.title === '(3) Inbox')
    const cards = await page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents()
    const seen = cards.map((each) => each.replaceAll(/[\u2066-\u2069]/g, ''))
    expect(seen, 'the most important first').to.deep.equal([
      'Olivia Okafor as Alice Ng',
      'A token was used again',
      'Oscar Öhman as Bob Marsh',
      'Who acts now',
    ])
    expect(await page.getByText('Nothing waits for you.').count()).to.equal(0)
    // The number stays on other pages.
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.waitForFunction(() => document.title.startsWith('(3) '))
  })

  it('is good to look at, also in German', async () => {
    await permits.request({ ...facts() })
    await permits.emergency({ ...facts(), customer: 'bob', why: 'It cannot wait' })
    await deployment.impersonate({ access: 'read', customer: 'carla' })
    await using german = await visitDeployment(deployment, { locale: 'de-DE' })
    const { page } = german
    await enter(page, 'grace')
    await heading(page, 'Eingang').waitFor()
    await page.getByRole('row', { name: /Carla/ }).waitFor()
    await expectGoodLooks(page, 'overview-de')
    await page.locator('summary', { hasText: 'Olivia' }).first().click()
    await expectGoodLooks(page, 'running-lead-de')
  })
})
