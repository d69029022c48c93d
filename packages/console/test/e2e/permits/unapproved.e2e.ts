import { expect } from 'chai'
import type { Authorize } from 'oidc-provider-impersonation'
import { createPermits, type Permits } from 'oidc-provider-impersonation-console'
import type { Locator, Page } from 'playwright-core'
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
const red = (within: Locator | Page, name = 'Without approval, after a refusal') =>
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
    const { id } = await permits.request({ ...asked, ticket: 'SUP-1' })
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
    await enter(grace.page, 'grace', '/console')
    await red(grace.page.getByRole('row').filter({ hasText: 'SUP-9' })).waitFor()
    await expectGoodLooks(grace.page, 'after-refusal-running')

    await using olivia = await visitDeployment(deployment)
    await enter(olivia.page, 'olivia', '/console/customers')
    await red(strip(olivia.page)).waitFor()
    await expectGoodLooks(olivia.page, 'after-refusal-strip')

    await using oscar = await visitDeployment(deployment)
    await enter(oscar.page, 'oscar', '/console/customers/alice')
    await red(oscar.page.locator('.acting-now')).waitFor()
    const heard = oscar.page.locator('.acting-now').getByRole('status')
    await heard.getByText('Without approval, after a refusal').waitFor()
    await red(oscar.page.getByRole('region', { name: 'History' })).waitFor()
    await expectGoodLooks(oscar.page, 'after-refusal-customer')
  })

  it('in the audit and among the approvals, also when the alarm is acknowledged and the permit is over', async () => {
    await using grace = await visitDeployment(deployment)
    const { page } = grace
    await enter(page, 'grace', '/console')
    const card = page.getByRole('list', { name: 'To look at' }).getByRole('listitem')
    await red(card).waitFor()
    expect(await card.getAttribute('class')).to.equal('card alarm')
    await goTo(page, '/console/audit')
    await red(page.getByRole('row').filter({ hasText: 'SUP-9' })).waitFor()

    const [row] = (await deployment.ask('grace', '')).body.alarms
    const seen = await deployment.ask('grace', `/audit/${row.id}/acknowledge`, { alarms: 1 })
    expect(seen.status).to.equal(204)
    await permits.review(permit, { by: 'grace', note: 'Saw it' })
    await permits.revoke(permit, { by: 'grace' })
    const name = 'Without approval, after a refusal (acknowledged)'
    await red(page.getByRole('row').filter({ hasText: 'SUP-9' }), name).waitFor()
    await expectGoodLooks(page, 'after-refusal-list')

    await goTo(page, `/console/audit/${running}`)
    await heading(page, 'Olivia Okafor as Alice Ng').waitFor()
    const above = page.getByRole('region', { name: 'To look at' })
    await above
      .getByText(reads('Grace Lindqvist refused a request of the same operator.'))
      .waitFor()
    await red(page.getByRole('listitem').filter({ hasText: 'Started in Shop.' })).waitFor()
    await expectGoodLooks(page, 'after-refusal-page')
    await goTo(page, `/console/approvals/${permit}`)
    await red(page.locator('dl.facts').first()).waitFor()
    await red(page.getByRole('row').filter({ hasText: 'SUP-9' }), name).waitFor()
    await expectGoodLooks(page, 'after-refusal-permit')
  })

  it('to the customer, in words, without the name of who refused, and in German', async () => {
    await using alice = await visit(deployment.url)
    const { page } = alice
    await page.goto('/account')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await submitSignIn(page, 'alice')
    const said = 'This is an emergency. A request of the same person was refused before.'
    const asked = page.getByRole('region', { name: 'Emergencies' })
    const now = page.getByRole('region', { name: 'Right now' })
    for (const part of [asked, now]) {
      await red(part).waitFor()
      await part.getByText(said).waitFor()
      expect(await part.getByText('by Grace').count()).to.equal(0)
    }
    await expectGoodLooks(page, 'after-refusal-account')
    await now.getByRole('button', { name: /^End it now/ }).click()
    await red(page.getByRole('region', { name: 'Earlier' })).waitFor()

    await using german = await visit(deployment.url, { locale: 'de-DE' })
    await german.page.goto('/account')
    await german.page.getByRole('button', { name: 'Anmelden' }).click()
    await submitSignIn(german.page, 'alice')
    const past = german.page.getByRole('region', { name: 'Früher' })
    await red(past, 'Ohne Freigabe, nach einer Ablehnung').waitFor()
    await past.getByText('Das ist ein Notfall.').waitFor()
  })
})

describe('an emergency is red, and is looked at before somebody says so', function () {
  this.timeout(120_000)
  let permits: Permits
  let deployment: Deployment
  let running: string

  beforeEach(async () => {
    const audit = memoryAudit()
    permits = createPermits({
      audit,
      approvers: () => [{ id: 'grace', name: 'Grace Lindqvist' }],
    })
    deployment = await deploy({ audit, authorize: permits.wrap(rule), console: { permits } })
    await deployment.impersonate({ ticket: 'SUP-1', access: 'read' })
    await permits.emergency({
      ...{ customer: 'alice', operator: 'olivia', application: 'shop', reason: 'Fire' },
      ...{ resource: `${deployment.url}/orders`, scope: 'orders:read orders:write' },
      ticket: 'SUP-9',
    })
    running = (await deployment.impersonate({ ticket: 'SUP-9' })).id
    await deployment.settled()
  })
  afterEach(async () => {
    await permits.close()
    await deployment[Symbol.asyncDispose]()
  })

  const mark = (within: Locator | Page) => red(within, 'Without approval')

  it('where it runs, in the audit, which finds it by a filter, and above all else on its page', async () => {
    await using olivia = await visitDeployment(deployment)
    await enter(olivia.page, 'olivia', '/console/customers')
    await mark(strip(olivia.page)).waitFor()
    expect(await mark(strip(olivia.page)).count(), 'of one alone').to.equal(1)

    await using grace = await visitDeployment(deployment)
    const { page } = grace
    await enter(page, 'grace', '/console/audit')
    await mark(page.getByRole('row').filter({ hasText: 'SUP-9' })).waitFor()
    await page.getByText('Filter', { exact: true }).click()
    await page.getByRole('checkbox', { name: 'Without approval' }).check()
    await page.getByRole('row').filter({ hasText: 'SUP-1' }).waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).to.equal('?when=any&unapproved=true')
    await expectGoodLooks(page, 'emergency-filter')

    await page.goto(`/console/audit/${running}`)
    const above = page.getByRole('region', { name: 'To look at' })
    await above.getByText(reads('Olivia Okafor acted in an emergency.')).waitFor()
    await mark(page.getByRole('listitem').filter({ hasText: 'Started in Shop.' })).waitFor()
    const isAbove = await above.evaluate((note) => {
      const facts = document.querySelector('dl.facts')
      return facts !== null && note.compareDocumentPosition(facts) === 4
    })
    expect(isAbove).to.equal(true)
    await expectGoodLooks(page, 'emergency-page')
    await above.getByRole('link', { name: 'See the emergency' }).click()
    await mark(page.locator('dl.facts').first()).waitFor()
  })

  it('is opened from the list; that it was looked at is said below what was done, with a note', async () => {
    await using grace = await visitDeployment(deployment)
    const { page } = grace
    await enter(page, 'grace', '/console')
    const card = page.getByRole('list', { name: 'To look at' }).getByRole('listitem')
    await mark(card).waitFor()
    expect(await card.getByRole('button').allTextContents()).to.not.include('I looked at it')
    await card.getByRole('link', { name: /^Open/ }).click()
    const done = page.getByRole('row').filter({ hasText: 'SUP-9' })
    await done.waitFor()
    const confirm = page.getByRole('button', { name: /^I looked at it/ })
    const isBelow = await confirm.evaluate((button) => {
      const table = document.querySelector('table')
      return table !== null && table.compareDocumentPosition(button) === 4
    })
    expect(isBelow).to.equal(true)
    await expectGoodLooks(page, 'emergency-review')
    await confirm.click()
    await page.getByLabel('Note', { exact: true }).fill('It was right')
    await confirm.click()
    await page.getByText('Looked at', { exact: true }).waitFor()
    await page.getByText('It was right').waitFor()
    expect(await confirm.count()).to.equal(0)
  })

  it('to the customer: not among what support asked them, in words, and in German', async () => {
    for (const [locale, button, region, sentence, badge] of [
      [
        'en-GB',
        'Sign in',
        'Emergencies',
        'may act as you, and nobody asked you',
        'Without approval',
      ],
      ['de-DE', 'Anmelden', 'Notfälle', 'und niemand hat Sie gefragt', 'Ohne Freigabe'],
    ] as const) {
      await using alice = await visit(deployment.url, { locale })
      const { page } = alice
      await page.goto('/account')
      await page.getByRole('button', { name: button }).click()
      await submitSignIn(page, 'alice')
      const emergency = page.getByRole('region', { name: region })
      await emergency.getByText(reads(sentence)).waitFor()
      await red(emergency, badge).waitFor()
      await red(page.getByRole('article').filter({ hasText: 'SUP-9' }), badge).waitFor()
      expect(await page.getByText('What support asks you').count()).to.equal(0)
      await expectGoodLooks(page, `emergency-account-${locale}`)
    }
  })
})
