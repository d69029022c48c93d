import { expect } from 'chai'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { rowLinks, ticketsOf, waitForAll } from '../support/audit-page.ts'
import { storePast } from '../support/audit-rows.ts'
import { enter } from '../support/enter.ts'
import { expectFocus } from '../support/focus.ts'
import { goTo, heading, reads, visitDeployment } from '../support/operating.ts'

describe('an auditor finds an impersonation without a mouse', () => {
  let deployment: Deployment

  before(async () => {
    deployment = await deploy()
    const at = Date.now() - 3_600_000
    await storePast(deployment.audit, [
      { at, ticket: 'T-1', customer: 'bob' },
      { at: at + 1000, ticket: 'T-2' },
      { at: at + 2000, ticket: 'T-3', customer: 'bob' },
    ])
  })
  after(() => deployment[Symbol.asyncDispose]())

  it('by the search of the audit, which has the focus', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'ada', '/console/audit')
    await heading(page, 'Audit').waitFor()
    const search = page.getByRole('searchbox', { name: 'Search' })
    await expectFocus(search)

    // Of a list that is not there yet, the key waits for the first row.
    await page.keyboard.type('bob')
    await page.keyboard.press('ArrowDown')
    await expectFocus(rowLinks(page).first())
    expect(await ticketsOf(page)).to.deep.equal(['T-3', 'T-1'])
    expect(new URL(page.url()).search).to.equal('?text=bob')
    await page.keyboard.press('ArrowDown')
    await expectFocus(rowLinks(page).nth(1))
    await page.keyboard.press('ArrowDown')
    await expectFocus(rowLinks(page).nth(1))
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    await expectFocus(search)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText(reads('All with T-1')).waitFor()
    await page.keyboard.press('Escape')
    await waitForAll(page, 2)
    await expectFocus(rowLinks(page).nth(1))
  })

  it('/ leads to the search, also from another page, and what was found stays', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'ada', '/console/audit?ticket=T-2')
    await waitForAll(page, 1)
    await rowLinks(page).focus()
    await page.keyboard.press('/')
    await expectFocus(page.getByRole('searchbox', { name: 'Search' }))
    expect(new URL(page.url()).search).to.equal('?ticket=T-2')
    await goTo(page, '/console/alarms')
    await expectFocus(heading(page, 'Alarms'))
    await page.keyboard.press('/')
    await heading(page, 'Audit').waitFor()
    await expectFocus(page.getByRole('searchbox', { name: 'Search' }))
  })

  it('leads have the search in Customers, and read the heading of the audit first', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'grace')
    await heading(page, 'Overview').waitFor()
    await page.keyboard.press('/')
    await heading(page, 'Customers').waitFor()
    await expectFocus(page.getByRole('searchbox'))
    await goTo(page, '/console/audit')
    await expectFocus(heading(page, 'Audit'))
  })
})
