import { equal, ok } from 'node:assert/strict'
import type { Route } from 'playwright-core'
import { renewed } from '../../../../test/support/shared.ts'
import { deploy } from '../support/deployment.ts'
import { expectFocus } from './support/focus.ts'
import { heading, reads, signedIn } from './support/operating.ts'
import { expectGoodLooks } from './support/pictures.ts'

describe('customers', function () {
  // Axe looks at each view four times.
  this.timeout(120_000)
  const deployment = renewed(() => deploy({ console: { ticket: { pattern: /SUP-\d+/ } } }))

  it('are found while one types, by the keyboard alone', async () => {
    await using visit = await signedIn(deployment)
    const { page } = visit
    await heading(page, 'Customers').waitFor()
    const search = page.getByRole('searchbox')
    await expectFocus(search)
    equal(await page.getByRole('table').count(), 0, 'customers are listed without a search')
    await page.keyboard.type('alice')
    await page.getByText(reads('1 customer fits “alice”')).waitFor()
    await expectFocus(search)
    await page.keyboard.press('Enter')
    await expectFocus(page.getByRole('link', { name: 'Alice Ng', exact: true }))
    await page.keyboard.press('/')
    await expectFocus(search)
    await page.keyboard.press('Enter')
    await expectFocus(page.getByRole('link', { name: 'Alice Ng', exact: true }))
    await page.keyboard.press('Enter')
    await heading(page, 'Alice Ng').waitFor()
    await page.goBack()
    await page.getByText(reads('1 customer fits “alice”')).waitFor()
    equal(await search.inputValue(), 'alice', 'the search is lost')
  })

  it('of one search are not shown for another', async () => {
    await using visit = await signedIn(deployment)
    const { page } = visit
    const search = page.getByRole('searchbox')
    const held = Promise.withResolvers<Route>()
    await page.route(({ search }) => search === '?q=alice', held.resolve)
    await search.fill('alice')
    const alice = await held.promise
    await search.fill('bob')
    await page.getByText(reads('1 customer fits “bob”')).waitFor()
    await alice.continue()
    await page.getByText(reads('1 customer fits “bob”')).waitFor()
    equal(await page.getByText(reads('Alice Ng')).count(), 0)
  })

  it('have a page that follows who acts: the reader at once, others in ten seconds', async () => {
    await using visit = await signedIn(deployment, 'olivia', '/console/customers/bob')
    const { page } = visit
    await page.getByText(reads('No one has acted as Bob Marsh yet.')).waitFor()
    const running = await deployment.impersonate({ customer: 'bob', ticket: 'SUP-7' })
    const row = page.getByRole('row', { name: /SUP-7/ })
    await row.getByText('Running now', { exact: true }).waitFor()
    await running.look()
    await row.getByRole('cell', { name: '1', exact: true }).waitFor()
    await running.end()
    const ended = Date.now()
    await row.getByText('Ended by the operator', { exact: true }).waitFor()
    ok(Date.now() - ended < 2000, 'the end is seen too late')
    // No event tells an operator of this one.
    await deployment.impersonate({ operator: 'oscar', customer: 'bob', ticket: 'SUP-8' })
    const other = page.getByText(reads('Oscar Öhman is acting as Bob Marsh right now'))
    await other.first().waitFor({ timeout: 12_000 })
  })

  it('are good to look at: the search, and a page with names of an attacker', async () => {
    await using visit = await signedIn(deployment)
    const { page } = visit
    await expectGoodLooks(page, 'customers')
    const search = page.getByRole('searchbox')
    for (const asked of ['hostile', 'oslo', 'zzz']) {
      await search.fill(asked)
      await page.getByText(reads(`“${asked}”`)).waitFor()
      await expectGoodLooks(page, `customers-${asked}`)
    }
    equal(await page.locator('main img, main script').count(), 0)
    const ended = await deployment.impersonate({ operator: 'oscar', ticket: 'SUP-9' })
    await ended.refused()
    await ended.end()
    await deployment.impersonate({ operator: 'oscar', ticket: 'SUP-10', access: 'read' })
    await deployment.impersonate({ ticket: 'SUP-11', duration: 120 })
    for (const id of ['alice', 'paula', 'hostile-long']) {
      await page.goto(`/console/customers/${id}`)
      await page.getByRole('heading', { name: 'History' }).waitFor()
      await expectGoodLooks(page, `customer-${id}`)
    }
    await page.goto('/console')
    await page.getByRole('rowheader', { name: 'Alice Ng' }).waitFor()
    await expectGoodLooks(page, 'customers-recent')
  })
})
