import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { renewed } from '../../../../../test/support/shared.ts'
import { HOSTILE } from '../../support/deployment.ts'
import { deployWithPast, hostilePast, idOf, type Past, storePast } from '../support/audit-rows.ts'
import { expectNothingCut } from '../support/fit.ts'
import { expectFocus, tabTo } from '../support/focus.ts'
import { heading, reads, signedIn } from '../support/operating.ts'
import { expectGoodLooks } from '../support/pictures.ts'
import { NARROW, NARROWEST } from '../support/visit.ts'

const HOUR = 3_600_000

const PAST: readonly Past[] = Array.from({ length: 60 }, (_, index) => ({
  at: Date.now() - (61 - index) * HOUR,
  ticket: `SUP-${index}`,
  operator: index % 3 === 0 ? 'oscar' : 'olivia',
  customer: index % 4 === 0 ? 'bob' : 'alice',
  ...(index % 4 === 0 ? { customerName: 'Bartholomäus von Hohenzollern-Sigmaringen' } : {}),
  reads: Array(index % 5).fill('/orders'),
  changes: index % 2 === 0 ? ['/orders/7/note'] : [],
  refused: index % 6 === 0 ? ['/account/email'] : [],
  ...(index % 3 === 0 ? { end: 'requested' } : index % 5 === 0 ? { end: 'user' } : {}),
  ...(index === 58 ? { objection: 'I never called. Who was this?' } : {}),
  ...(index === 59 ? { reason: 'Paid twice, and no mail came. '.repeat(16) } : {}),
}))
const OBJECTED = `/console/audit/${idOf(58)}`

/** The links of the rows: *Olivia Okafor as Alice Ng*. */
const rows = (page: Page) => page.getByRole('table').getByRole('rowheader').getByRole('link')

const search = (page: Page) => page.getByRole('searchbox', { name: 'Search' })

const waitForAll = (page: Page, count: number) =>
  page
    .getByText(`${count} impersonation${count === 1 ? ' is' : 's are'} shown`, { exact: true })
    .waitFor()

/** The place of the reader, and of an element in the window. */
const placeOf = (locator: Locator) =>
  locator.evaluate((element) => [scrollY, element.getBoundingClientRect().top])

describe('the audit in a browser', () => {
  const deployment = renewed(() => deployWithPast(PAST))

  const act = async (ticket: string) => {
    const running = await deployment.impersonate({ ticket })
    await running.look()
    return running
  }

  it('does not move when new rows come: they announce themselves and wait for a click', async () => {
    const running = await act('NOW')
    await using visit = await signedIn(deployment, 'ada', '/console/audit')
    const { page } = visit
    const [row, now] = [rows(page).nth(30), page.getByRole('row').filter({ hasText: 'NOW' })]
    await now.getByText('Running now').waitFor()
    await row.focus()
    await row.scrollIntoViewIfNeeded()
    const before = await placeOf(row)
    await act('NEW-1')
    await page.getByText('1 new impersonation', { exact: true }).waitFor()
    await running.change()
    await running.end()
    await now.getByText('Ended by the operator').waitFor()
    expect((await now.getByRole('cell').allInnerTexts()).slice(4, 7)).to.deep.equal(['1', '1', '0'])

    // Another tab, and back.
    const other = await visit.context.newPage()
    await other.goto('/console/rules')
    await act('NEW-2')
    await page.bringToFront()
    await page.getByText('2 new impersonations', { exact: true }).waitFor()
    expect(await placeOf(row)).to.deep.equal(before)
    await expectFocus(row)
    await page.getByRole('link', { name: 'Show', exact: true }).click()
    await page.getByRole('row').filter({ hasText: 'NEW-2' }).waitFor()
  })

  it('asks once at a time, however much happens, and shows the last of it', async () => {
    const { look } = await act('NOW')
    await using visit = await signedIn(deployment, 'ada', '/console/audit')
    const { page } = visit
    let asked = 0
    await page.route('**/console/audit?first=*', async (route) => {
      asked += 1
      await new Promise((resolve) => setTimeout(resolve, 300))
      await route.continue()
    })
    for (let reads = 0; reads < 20; reads += 1) {
      await look()
    }
    const row = page.getByRole('row').filter({ hasText: 'NOW' })
    await row.getByRole('cell', { name: '21', exact: true }).waitFor()
    expect(asked).to.be.below(8)
  })

  it('is filtered in its place: the focus stays, and each change is a step of the history', async () => {
    await using visit = await signedIn(deployment, 'ada', '/console/audit')
    const { page } = visit
    await search(page).pressSequentially('alice olivia', { delay: 60 })
    await page.waitForURL('**/audit?text=alice+olivia&when=any')
    await expectFocus(search(page))
    await page.getByText('Filter', { exact: true }).click()
    await page.getByLabel('State').focus()
    await page.getByLabel('State').selectOption('Ended by the customer')
    await waitForAll(page, 6)
    const condition = reads('Remove this condition: State: Ended by the customer')
    await page.getByRole('link', { name: condition }).waitFor()
    await expectFocus(page.getByLabel('State'))
    await page.getByLabel('Ticket').fill('sup-5')
    await page.keyboard.press('Enter')
    await waitForAll(page, 1)
    await page.goBack()
    await waitForAll(page, 6)
    expect(await page.getByLabel('Ticket').inputValue()).to.equal('')
    await page.goBack()
    await page.waitForURL('**/audit?text=alice+olivia&when=any')
    expect(await search(page).inputValue()).to.equal('alice olivia')
    await page.goBack()
    await page.getByText('50 impersonations are shown').waitFor()
    await page.goForward()
    await page.waitForURL('**/audit?text=alice+olivia&when=any')
  })

  it('takes days by the calendar of the browser, and people by a part of their name', async () => {
    await using visit = await signedIn(deployment, 'ada', '/console/audit')
    const { page } = visit
    expect(await page.getByLabel('From').isVisible()).to.equal(false)
    await page.getByLabel('When').selectOption('From – to')
    await page.getByLabel('From').fill('2026-02-18')
    await page.waitForURL(/from=2026-02-18/)
    await page.getByLabel('To', { exact: true }).fill('2026-02-18')
    await page.getByText('Nothing matches the filter.').waitFor()
    await page.getByRole('link', { name: 'Clear all' }).click()
    await page.getByText('50 impersonations are shown').waitFor()
    await page.getByText('Filter', { exact: true }).click()
    await page.getByRole('combobox', { name: 'Operator' }).pressSequentially('osc')
    await page.locator('datalist option[label="Oscar Öhman"]').waitFor({ state: 'attached' })
    await page.keyboard.press('Enter')
    await page.waitForURL(/operator=oscar/)
    await page.getByRole('link', { name: 'Clear all' }).click()
    await page.getByText('50 impersonations are shown').waitFor()
    await page.getByLabel('When').selectOption('Last 7 days')
    await page.waitForURL(/when=\d+-\d+$/)
    await page.getByText('50 impersonations are shown').waitFor()
  })

  it('has the search of an auditor first, and is read by the keyboard alone', async () => {
    await using visit = await signedIn(deployment, 'ada', '/console/audit')
    const { page } = visit
    await expectFocus(search(page))
    await page.keyboard.type('sup-58')
    await waitForAll(page, 1)
    await page.keyboard.press('Enter')
    await tabTo(rows(page))
    await page.keyboard.press('/')
    await expectFocus(search(page))
    await tabTo(rows(page))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Timeline' }).waitFor()
    await tabTo(page.locator('summary', { hasText: 'Details' }).first())
    await page.keyboard.press('Enter')
    await page.getByText('"impersonation.issued"').waitFor()
    await page.keyboard.press('Escape')
    await waitForAll(page, 1)
    expect(await search(page).inputValue(), 'the list as it was left').to.equal('sup-58')
  })

  it('adds to the timeline at its end, keeps what is open, and ends what runs', async () => {
    const running = await act('NOW')
    await using visit = await signedIn(deployment, 'grace', `/console/audit/${running.id}`)
    const { page } = visit
    const title = page.getByRole('heading', { name: 'Timeline' })
    await page.locator('summary', { hasText: 'Details' }).first().click()
    await page.getByText('"impersonation.issued"').waitFor()
    const before = await placeOf(title)
    await running.change()
    await page.getByText('POST /orders/note').first().waitFor()
    expect(await placeOf(title)).to.deep.equal(before)
    expect(await page.getByText('"impersonation.issued"').isVisible()).to.equal(true)
    await using olivia = await signedIn(deployment, 'olivia', `/console/audit/${running.id}`)
    await page
      .getByRole('button', { name: reads('End: Olivia Okafor is acting as Alice Ng') })
      .click()
    await page.getByText(/^It is ended\./).waitFor()
    await olivia.page.locator('.timeline').getByText('Grace Lindqvist ended it.').waitFor()
  })

  it('leads to an entry through the sign-in, also to one of a run', async () => {
    const body = await deployment.read('ada', `/audit/${idOf(54)}`)
    const [, , read] = body.entries
    await using visit = await signedIn(
      deployment,
      'ada',
      `/console/audit/${idOf(54)}#entry-${read.number}`,
    )
    const { page } = visit
    const entry = page.locator('section:target')
    await entry.getByText('"/orders"').waitFor()
    expect(await entry.getAttribute('id')).to.equal(`entry-${read.number}`)
  })

  it('is accessible and whole at both widths, in both schemes', async () => {
    const held = { note: 'Case 77' }
    await deployment.ask('grace', `/audit/${idOf(58)}/hold`, held)
    await using visit = await signedIn(deployment, 'grace', '/console/audit')
    const { page } = visit
    await expectGoodLooks(page, 'audit')
    const row = page.getByRole('row', { name: /SUP-55/ })
    expect((await row.boundingBox())?.height).to.be.within(40, 41)
    expect((await page.locator('.filter-box').boundingBox())?.height).to.be.below(90)
    await page.goto('/console/audit?from=2026-11-01&customer=alice&alarm=any&held=true')
    await page.getByText('Filter', { exact: true }).click()
    await page.getByText('Export', { exact: true }).click()
    await expectGoodLooks(page, 'audit-filtered')
    await page.goto(OBJECTED)
    for (const name of ['Ids and rights', 'Details', 'Release', 'Prove this']) {
      await page.locator('summary', { hasText: name }).first().click()
    }
    await expectGoodLooks(page, 'impersonation')
  }).timeout(120_000)

  it('is so in German, too', async () => {
    await using visit = await signedIn(deployment, 'grace', '/console/audit?customer=alice', {
      locale: 'de-DE',
    })
    const { page } = visit
    await heading(page, 'Protokoll').waitFor()
    await expectGoodLooks(page, 'audit-de')
    await page.goto(OBJECTED)
    await expectGoodLooks(page, 'impersonation-de')
  }).timeout(120_000)

  it('fits on 320 px, and with hostile texts nothing is cut', async () => {
    const texts = [...Object.values(HOSTILE), 'x'.repeat(500)]
    await storePast(deployment.audit, hostilePast(texts, `/${'y'.repeat(900)}`), 100)
    await using visit = await signedIn(deployment, 'ada', '/console/audit', { viewport: NARROWEST })
    const { page } = visit
    const paths = texts.map((_, index) => `/console/audit/${idOf(100 + index)}`)
    for (const path of ['/console/audit', ...paths]) {
      await page.goto(path)
      await page.setViewportSize(NARROWEST)
      expect(await page.evaluate(() => document.documentElement.scrollWidth), path).to.equal(320)
      await page.setViewportSize(NARROW)
      await expectNothingCut(page)
    }
    // A text that turns the direction of writing keeps it to itself.
    await page.goto('/console/audit')
    const link = rows(page).filter({ hasText: HOSTILE.backwards ?? '' })
    expect(await link.locator('bdi').count()).to.be.at.least(2)
  })
})
