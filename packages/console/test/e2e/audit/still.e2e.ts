import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { type Deployment, deploy } from '../../support/deployment.ts'
import {
  impersonation,
  placeOf,
  rowLinks,
  ticketsOf,
  timelineOf,
  waitForAll,
} from '../support/audit-page.ts'
import { idOf, type Past, storePast } from '../support/audit-rows.ts'
import { enter } from '../support/enter.ts'
import { expectFocus } from '../support/focus.ts'
import { heading, visitDeployment } from '../support/operating.ts'

const HOUR = 3_600_000

/** So many impersonations, one each hour, the newest an hour ago. */
const pastOf = (count: number): Past[] =>
  Array.from({ length: count }, (_, index) => ({
    at: Date.now() - (count - index) * HOUR,
    ticket: `T-${index + 1}`,
  }))

describe('the audit under the reader', () => {
  let deployment: Deployment

  beforeEach(async () => {
    deployment = await deploy()
    await storePast(deployment.audit, pastOf(120))
  })
  afterEach(() => deployment[Symbol.asyncDispose]())

  async function newOne(ticket: string): Promise<void> {
    const { look } = await deployment.impersonate({ ticket })
    await look()
    await deployment.settled()
  }

  /** Reads the second page, far down. */
  async function readOn(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Show older ones' }).click()
    await waitForAll(page, 120)
    await rowLinks(page).nth(80).scrollIntoViewIfNeeded()
    await rowLinks(page).nth(80).focus()
  }

  it('does not move when new rows come: they announce themselves and wait for a click', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'ada', '/console/audit')
    await readOn(page)
    const row = rowLinks(page).nth(80)
    const before = await placeOf(row)
    await newOne('NEW-1')
    await page.getByText('1 new impersonation', { exact: true }).waitFor()
    await newOne('NEW-2')
    await newOne('NEW-3')
    await page.getByText('3 new impersonations', { exact: true }).waitFor()
    expect(await placeOf(row)).to.deep.equal(before)
    expect(await rowLinks(page).count()).to.equal(120)
    await expectFocus(row)

    // Another tab, and back.
    const other = await visit.context.newPage()
    await other.goto('/console/audit')
    await rowLinks(other).first().waitFor()
    await newOne('NEW-4')
    await page.bringToFront()
    await page.getByText('4 new impersonations', { exact: true }).waitFor()
    expect(await placeOf(row)).to.deep.equal(before)
    await other.close()

    await page.getByRole('button', { name: 'Show', exact: true }).click()
    await waitForAll(page, 124)
    const first = ['NEW-4', 'NEW-3', 'NEW-2', 'NEW-1', 'T-120']
    expect((await ticketsOf(page)).slice(0, 5)).to.deep.equal(first)
    await expectFocus(rowLinks(page).first())
  })

  it('is as it was after an impersonation was read: pages, scroll place and focus', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'ada', '/console/audit?customer=alice')
    await readOn(page)
    const row = rowLinks(page).nth(80)
    const before = await placeOf(row)
    const ways = [
      () => page.getByRole('link', { name: 'Back to the audit' }).click(),
      () => page.keyboard.press('Escape'),
      () => page.goBack(),
    ]
    for (const goBack of ways) {
      await page.keyboard.press('Enter')
      await impersonation(page, 'Olivia Okafor as Alice Ng').waitFor()
      await page.getByRole('heading', { name: 'Timeline' }).waitFor()
      await goBack()
      await heading(page, 'Audit').waitFor()
      expect(new URL(page.url()).search).to.equal('?customer=alice')
      await expectFocus(row)
      expect(await rowLinks(page).count()).to.equal(120)
      expect(await placeOf(row)).to.deep.equal(before)
    }
  })

  it('shows in its place what changes in a row', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    const running = await deployment.impersonate({ ticket: 'NOW' })
    await deployment.settled()
    await enter(page, 'ada', '/console/audit')
    const row = page.getByRole('row').filter({ hasText: 'NOW' })
    await row.getByText('Running now').waitFor()
    const before = await placeOf(row)
    await running.change()
    await running.end()
    await deployment.settled()
    await row.getByText('Ended by the operator').waitFor()
    const cells = await row.getByRole('cell').allInnerTexts()
    expect(cells.slice(4, 7)).to.deep.equal(['0', '1', '0'])
    expect(await placeOf(row)).to.deep.equal(before)
  })

  it('adds to the timeline of a running impersonation at its end, and nothing moves', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    const running = await deployment.impersonate()
    await running.look()
    await deployment.settled()
    await enter(page, 'grace', `/console/audit/${running.id}`)
    await page.getByText('GET /orders').waitFor()
    const heading = page.getByRole('heading', { name: 'Timeline' })
    const before = await placeOf(heading)
    await running.change()
    await deployment.settled()
    await page.getByText('POST /orders/note').waitFor()
    expect(await placeOf(heading)).to.deep.equal(before)
    expect((await timelineOf(page)).length).to.equal(4)
    await page.getByRole('button', { name: 'End it now' }).click()
    await page.getByText('It is ended.').waitFor()
    await page.getByText('Grace Lindqvist ended it.').waitFor()
    expect(await page.getByRole('button', { name: 'End it now' }).count()).to.equal(0)
    expect((await deployment.ask('grace', '/running')).body.running).to.deep.equal([])
  })

  it('counts in its place what happens again', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    const running = await deployment.impersonate()
    await running.replay()
    await deployment.settled()
    await enter(page, 'ada', `/console/audit/${running.id}`)
    const entry = page.getByRole('listitem').filter({ hasText: /The token was used again/ })
    await entry.waitFor()
    await running.replay()
    await deployment.settled()
    await entry.getByText(/^2 times, the last/).waitFor()
    expect((await timelineOf(page)).length).to.equal(4)
  })

  it('loads long timelines in pages, and sums up runs of the same request', async () => {
    const reads = [...Array(260).keys()].map((index) => `/orders/${index}`)
    const runs = Array(30).fill('/orders')
    await storePast(deployment.audit, [{ at: Date.now() - 1000, reads: [...runs, ...reads] }], 500)
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'ada', `/console/audit/${idOf(500)}`)
    await page.getByText('100 entries, and more').waitFor()
    const run = page.getByText('GET /orders answered 200').first()
    await page.getByText(/^30 times, from/).waitFor()
    expect(await run.count()).to.be.at.most(1)
    const item = page.getByRole('listitem').filter({ hasText: '30 times' })
    expect(await item.getByRole('listitem').first().isVisible()).to.equal(false)
    await item.locator('summary').click()
    expect(await item.getByRole('button', { name: 'Details' }).count()).to.equal(30)
    for (const count of ['200 entries, and more', '292 entries']) {
      await page.getByRole('button', { name: 'Show what came later' }).click()
      await page.getByText(count, { exact: true }).waitFor()
    }
    await page.getByText('/orders/259', { exact: false }).waitFor()
  })
})
