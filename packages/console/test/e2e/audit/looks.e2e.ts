import { expect } from 'chai'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { condition, openFilter, personInput, rowLinks, waitForAll } from '../support/audit-page.ts'
import { idOf, type Past, storePast } from '../support/audit-rows.ts'
import { enter } from '../support/enter.ts'
import { expectFocus, tabTo } from '../support/focus.ts'
import { heading, visitDeployment } from '../support/operating.ts'
import { expectGoodLooks } from '../support/pictures.ts'
import { NARROWEST } from '../support/visit.ts'

const HOUR = 3_600_000

describe('the views of the audit', () => {
  let deployment: Deployment

  before(async () => {
    deployment = await deploy()
    const past: Past[] = Array.from({ length: 14 }, (_, index) => ({
      at: Date.now() - (15 - index) * HOUR,
      ticket: `SUP-${index}`,
      operator: index % 3 === 0 ? 'oscar' : 'olivia',
      customer: index % 4 === 0 ? 'bob' : 'alice',
      ...(index % 4 === 0 ? { customerName: 'Bartholomäus von Hohenzollern-Sigmaringen' } : {}),
      reads: Array(index % 5).fill('/orders'),
      changes: index % 2 === 0 ? ['/orders/7/note'] : [],
      refused: index % 6 === 0 ? ['/account/email'] : [],
      ...(index % 3 === 0 ? { end: 'requested' } : index % 5 === 0 ? { end: 'user' } : {}),
      ...(index === 11 ? { objection: 'I never called. Who was this?' } : {}),
      ...(index === 13 ? { reason: 'Paid twice, and no mail came. '.repeat(16) } : {}),
    }))
    await storePast(deployment.audit, past)
    const held = { note: 'Case 77' }
    await deployment.ask('grace', `/audit/${idOf(12)}/acknowledge`, { note: 'Spoke to Olivia.' })
    await deployment.ask('grace', `/audit/${idOf(12)}/hold`, held)
  })
  after(() => deployment[Symbol.asyncDispose]())

  it('are accessible and whole at both widths, in both schemes', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'grace', '/console/audit')
    await waitForAll(page, 14)
    await expectGoodLooks(page, 'audit')
    await page.goto('/console/audit?from=2026-11-01T00:00Z&customer=alice&alarm=any&held=true')
    await page.getByRole('button', { name: 'Clear all' }).waitFor()
    await page.getByText('Filter: 4 conditions').waitFor()
    await openFilter(page)
    await page.getByText('Export', { exact: true }).click()
    await expectGoodLooks(page, 'audit-filtered')
    await page.goto(`/console/audit/${idOf(12)}`)
    await page
      .getByText('7 entries')
      .or(page.getByText(/\d entries/))
      .waitFor()
    await page.getByText('Ids and rights').click()
    await page.getByRole('button', { name: 'Details' }).first().click()
    await expectGoodLooks(page, 'impersonation')
    await page.getByRole('button', { name: 'Release' }).click()
    await page.getByRole('dialog').waitFor()
    await expectGoodLooks(page, 'hold')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Prove this' }).click()
    await page.getByText('impersonation-verify').waitFor()
    await expectGoodLooks(page, 'prove')
    await page.keyboard.press('Escape')
    await page.goto('/console/alarms')
    await page.getByText('I never called').waitFor()
    await expectGoodLooks(page, 'alarms')
    const { replay } = await deployment.impersonate()
    await replay()
    await deployment.settled()
    await page.getByText('1 new alarm').waitFor()
    await page.getByRole('button', { name: 'Dismiss' }).waitFor()
    await expectGoodLooks(page, 'alarm-notice')
  }).timeout(90_000)

  it('leave the room to the list: a filter of one line, rows of 40 px', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'grace', '/console/audit?ticket=SUP-2')
    await waitForAll(page, 1)
    const filter = page.getByRole('button', { name: 'Filter: 1 condition' })
    expect(await filter.getAttribute('aria-expanded')).to.equal('false')
    expect(await personInput(page, 'Operator').isVisible(), 'further fields').to.equal(false)
    await condition(page, 'Ticket: SUP-2').waitFor()
    const box = await page.locator('.filter-box').boundingBox()
    expect(box?.height).to.be.below(90)
    const row = page.getByRole('row', { name: /Olivia Okafor as Alice Ng/ })
    const height = async () => (await row.boundingBox())?.height
    expect(await height()).to.be.within(40, 41)
    // What the reader opened stays open on the way to a row and back.
    await filter.click()
    await rowLinks(page).click()
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await page.goBack()
    await personInput(page, 'Operator').waitFor()
    await page.goto('/console/audit?ticket=SUP-3')
    await waitForAll(page, 1)
    const ended = page.getByRole('row', { name: /Ended by the operator/ })
    expect((await ended.boundingBox())?.height, 'a long word').to.be.within(40, 41)
  })

  it('are in German, too', async () => {
    await using visit = await visitDeployment(deployment, { locale: 'de-DE' })
    const { page } = visit
    await page.goto('/console/audit')
    await page.getByLabel('Login').fill('grace')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await heading(page, 'Protokoll').waitFor()
    await page.getByLabel('Wann').selectOption('Letzte 7 Tage')
    await rowLinks(page).first().waitFor()
    await expectGoodLooks(page, 'audit-de')
    await page.goto(`/console/audit/${idOf(12)}`)
    await page.getByRole('heading', { name: 'Verlauf' }).waitFor()
    await page.getByText('Grace Lindqvist hat die Aufbewahrung angeordnet.').waitFor()
    await expectGoodLooks(page, 'impersonation-de')
    await page.goto('/console/alarms')
    await page.getByText('Darum habe ich nicht gebeten').waitFor()
    await expectGoodLooks(page, 'alarms-de')
  }).timeout(60_000)

  it('are read by the keyboard alone: filter, open, look into an entry, go back', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'ada', '/console/audit')
    await page.getByText(/impersonations in all/).waitFor()
    await expectFocus(page.getByLabel('Search', { exact: true }))
    await page.keyboard.type('sup-11')
    await page.keyboard.press('Enter')
    await waitForAll(page, 1)
    await expectFocus(page.getByLabel('Search', { exact: true }))
    await tabTo(rowLinks(page))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await page.getByText(/\d entries/).waitFor()
    await tabTo(page.getByRole('button', { name: 'Details' }).first())
    await page.keyboard.press('Enter')
    await page.getByText('"impersonation.issued"').waitFor()
    await page.keyboard.press('Escape')
    await expectFocus(rowLinks(page))
  })

  it('fit on 320 px', async () => {
    await using visit = await visitDeployment(deployment, { viewport: NARROWEST })
    const { page } = visit
    await enter(page, 'ada', '/console/audit')
    await rowLinks(page).first().waitFor()
    const width = () => page.evaluate(() => document.documentElement.scrollWidth)
    expect(await width()).to.equal(320)
    await openFilter(page)
    expect(await width()).to.equal(320)
    await rowLinks(page).first().click()
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    expect(await width()).to.equal(320)
  })
})
