import { expect } from 'chai'
import type { Authorize } from 'oidc-provider-impersonation'
import { createPermits, type Permits } from 'oidc-provider-impersonation-console'
import type { Locator, Page } from 'playwright-core'
import type { RowAnswer } from '../../../src/api/console/answers.ts'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { enter, submitSignIn } from '../support/enter.ts'
import { goTo, heading, reads, strip, visitDeployment } from '../support/operating.ts'
import { expectGoodLooks } from '../support/pictures.ts'
import { visit } from '../support/visit.ts'

/** A change needs a second person. */
const rule: Authorize = ({ scope = '' }) =>
  scope.includes('orders:write') ? { needs: ['second_person'], emergency: true } : true

/** The red words, wherever they are. */
const red = (within: Locator | Page, name = 'After a refusal') =>
  within.locator('.badge.alarm').getByText(reads(name, 'exact'))

describe('an emergency after a refusal is red', function () {
  this.timeout(120_000)
  let permits: Permits
  let deployment: Deployment
  let running: string
  let permit: string

  beforeEach(async () => {
    const audit = memoryAudit()
    permits = createPermits({
      ...{ audit, standing: {} },
      approvers: () => [{ id: 'grace', name: 'Grace Lindqvist' }],
    })
    deployment = await deploy({ audit, authorize: permits.wrap(rule), console: { permits } })
    const asked = {
      ...{ customer: 'alice', operator: 'olivia', application: 'shop', reason: 'Fire' },
      ...{ resource: `${deployment.url}/orders`, scope: 'orders:read orders:write' },
    }
    const { id } = await permits.request({ ...asked, ticket: 'SUP-1', for: 600 })
    await permits.refuse(id, { by: 'grace' })
    permit = (await permits.emergency({ ...asked, ticket: 'SUP-9' })).id
    running = (await deployment.impersonate({ ticket: 'SUP-9' })).id
    await deployment.settled()
  })
  afterEach(async () => {
    await permits.close()
    await deployment[Symbol.asyncDispose]()
  })

  it('where it runs: to leads, to the operator in the strip, and to other operators', async () => {
    await using grace = await visitDeployment(deployment)
    await enter(grace.page, 'grace', '/console/running')
    await red(grace.page.getByRole('row').filter({ hasText: 'SUP-9' })).waitFor()
    await expectGoodLooks(grace.page, 'after-refusal-running')

    await using olivia = await visitDeployment(deployment)
    await enter(olivia.page, 'olivia', '/console/running')
    await red(strip(olivia.page)).waitFor()
    await red(olivia.page.getByRole('row').filter({ hasText: 'SUP-9' })).waitFor()
    await expectGoodLooks(olivia.page, 'after-refusal-strip')

    await using oscar = await visitDeployment(deployment)
    await enter(oscar.page, 'oscar', '/console/customers/alice')
    await red(oscar.page.locator('.acting-now')).waitFor()
    const heard = oscar.page.locator('.acting-now').getByRole('status')
    await heard.getByText('After a refusal').waitFor()
    await red(oscar.page.getByRole('region', { name: 'History' })).waitFor()
    await expectGoodLooks(oscar.page, 'after-refusal-customer')
  })

  it('in the audit and among the approvals, also when the alarm is acknowledged and the permit is over', async () => {
    await using grace = await visitDeployment(deployment)
    const { page } = grace
    await enter(page, 'grace', '/console/approvals')
    const card = page.getByRole('list', { name: 'To look at' }).getByRole('listitem')
    await red(card).waitFor()
    expect(await card.getAttribute('class')).to.equal('card alarm')
    await goTo(page, '/console/audit')
    await red(page.getByRole('row').filter({ hasText: 'SUP-9' })).waitFor()

    const { urgent } = (await deployment.ask('grace', '/alarms')).body
    const alarms = urgent.map(({ id, alarm }: RowAnswer) => ({
      id,
      count: alarm?.count,
      urgency: 1,
    }))
    const { status } = await deployment.ask('grace', '/alarms/acknowledge', { alarms })
    expect([urgent.length, status]).to.deep.equal([1, 200])
    await permits.review(permit, { by: 'grace', note: 'Saw it' })
    await permits.revoke(permit, { by: 'grace' })
    const seen = 'After a refusal (acknowledged)'
    await red(page.getByRole('row').filter({ hasText: 'SUP-9' }), seen).waitFor()
    await expectGoodLooks(page, 'after-refusal-list')

    await goTo(page, `/console/audit/${running}`)
    await heading(page, 'Olivia Okafor as Alice Ng').waitFor()
    const fact = page.locator('dl.facts > div').filter({ hasText: 'To look at' })
    await red(fact).waitFor()
    await fact.getByText(reads('Grace Lindqvist refused a request of the same operator.')).waitFor()
    await red(page.getByRole('listitem').filter({ hasText: 'Started in Shop.' })).waitFor()
    await expectGoodLooks(page, 'after-refusal-page')
    await goTo(page, `/console/approvals/${permit}`)
    await red(page.locator('dl.facts').first()).waitFor()
    await red(page.getByRole('row').filter({ hasText: 'SUP-9' }), seen).waitFor()
    await expectGoodLooks(page, 'after-refusal-permit')
  })

  it('to the customer, in words, without the name of who refused, and in German', async () => {
    await using alice = await visit(deployment.url)
    const { page } = alice
    await page.goto('/account')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await submitSignIn(page, 'alice')
    const said = 'This is an emergency. A request of the same person was refused before.'
    const asked = page.getByRole('region', { name: 'What support asks you' })
    const now = page.getByRole('region', { name: 'Right now' })
    for (const part of [asked, now]) {
      await red(part).waitFor()
      await part.getByText(said).waitFor()
      expect(await part.getByText('by Grace').count()).to.equal(0)
    }
    await expectGoodLooks(page, 'after-refusal-account')
    await now.getByRole('button', { name: /^End it now/ }).click()
    await red(page.getByRole('region', { name: 'Before' })).waitFor()

    await using german = await visit(deployment.url, { locale: 'de-DE' })
    await german.page.goto('/account')
    await german.page.getByRole('button', { name: 'Anmelden' }).click()
    await submitSignIn(german.page, 'alice')
    const past = german.page.getByRole('region', { name: 'Früher' })
    await red(past, 'Nach einer Ablehnung').waitFor()
    await past.getByText('Das ist ein Notfall.').waitFor()
  })
})
