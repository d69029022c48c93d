import { expect } from 'chai'
import { type Deployment, deploy, HOSTILE } from '../../support/deployment.ts'
import { rowLinks, saying, timeline, waitForAll } from '../support/audit-page.ts'
import { idOf, type Past, storePast } from '../support/audit-rows.ts'
import { enter } from '../support/enter.ts'
import { expectNothingCut } from '../support/fit.ts'
import { heading, visitDeployment } from '../support/operating.ts'
import { NARROW, WIDE } from '../support/visit.ts'

const LONG_REASON = `${'The customer says that the order was paid twice. '.repeat(9)}${'x'.repeat(59)}`
const HTML = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>'

describe('hostile texts in the audit', () => {
  let deployment: Deployment

  before(async () => {
    deployment = await deploy()
    const at = Date.now() - 3_600_000
    const past: Past[] = Object.values(HOSTILE).map((text, index) => ({
      at: at + index * 1000,
      customerName: text,
      ticket: text.slice(0, 100),
      reason: text,
      reads: [`/orders/${encodeURIComponent(text)}`, `/${HTML}`, `/${'y'.repeat(900)}`],
      refused: [`/\u202E${text}`],
      objection: `${text}\n${HTML}`,
    }))
    await storePast(deployment.audit, [...past, { at, ticket: 'LONG', reason: LONG_REASON }])
  })
  after(() => deployment[Symbol.asyncDispose]())

  it('are texts in the list and on the page, and nothing is cut', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    const count = Object.keys(HOSTILE).length + 1
    await enter(page, 'ada', '/console/audit')
    await waitForAll(page, count)
    for (const size of [WIDE, NARROW]) {
      await page.setViewportSize(size)
      await expectNothingCut(page)
    }
    expect(await page.title()).to.match(/^(?:\(\d+\) )?Audit$/)
    expect(await page.locator('main img, main script').count()).to.equal(0)
    await page.getByText(LONG_REASON, { exact: true }).waitFor()
    // A text that turns the direction of writing keeps it to itself.
    const link = rowLinks(page).filter({ hasText: HOSTILE.backwards ?? '' })
    expect(await link.locator('bdi').count()).to.be.at.least(2)

    for (const [index, text] of Object.values(HOSTILE).entries()) {
      await page.goto(`/console/audit/${idOf(index)}`)
      await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      await page.getByText('/orders/').first().waitFor()
      expect(await page.title()).to.include(text.slice(0, 4))
      for (const size of [WIDE, NARROW]) {
        await page.setViewportSize(size)
        await expectNothingCut(page)
      }
      expect(await page.locator('main img, main script').count()).to.equal(0)
      await timeline(page).getByText(`GET /${HTML}`).first().waitFor()
    }
  }).timeout(60_000)

  it('are found by the search, and are texts in the filter and its address', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'ada', '/console/audit')
    await page.getByLabel('Search', { exact: true }).fill(HOSTILE.html ?? '')
    await waitForAll(page, 1)
    await page.reload()
    await heading(page, 'Audit').waitFor()
    await waitForAll(page, 1)
    const name = saying(`Remove this condition: Search: ${HOSTILE.html}`)
    await page.getByRole('button', { name }).click()
    await waitForAll(page, Object.keys(HOSTILE).length + 1)
    expect(await page.title()).to.match(/^(?:\(\d+\) )?Audit$/)
  })

  it('ids in the address that are none lead to no other request', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    visit.expectFailure(/\/api\/audit\//, 404)
    await enter(page, 'ada', '/console/audit/..%2Frunning')
    await page.getByText('There is no such impersonation').waitFor()
    expect(visit.urls.filter((url) => url.endsWith('/api/running'))).to.deep.equal([])
  })
})
