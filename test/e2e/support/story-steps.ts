import type { Locator, Page } from 'playwright-core'

/** What the tests of the story have in common; there is no test in here. */

/** How long a test may take that does a lot, so that it can say what it waited for in vain. */
export const LONG = 40_000

/** The views that a person who acts can go to. */
export const VIEWS = ['Customers', 'Orders', 'Look inside', 'Audit'] as const

/** Follows a link of the navigation. */
export async function goTo(page: Page, view: (typeof VIEWS)[number]): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: view, exact: true }).click()
}

/** Ends it, and waits until the backend has written that down. */
export async function endActing(page: Page): Promise<void> {
  const written = page.waitForResponse('**/support/impersonations/end')
  await page.getByRole('button', { name: 'End', exact: true }).click()
  await written
}

/** The rows below the headings of a table. */
export function rowsOf(page: Page, region: string): Locator {
  return page.getByRole('region', { name: region }).locator('tbody tr')
}

/** What is written in each of them, cell by cell. */
export function cellsOf(rows: Locator): Promise<string[][]> {
  return rows.evaluateAll((all) =>
    all.map((row) => [...row.children].map((cell) => cell.textContent.trim())),
  )
}

/** The audit, once it has arrived in so many entries: what, operator, customer, why, how long. */
export async function auditOf(page: Page, entries: number): Promise<string[][]> {
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
  await countOf(page, entries).waitFor()
  const cells = await cellsOf(rowsOf(page, 'Entries of the audit'))
  return cells.map((row) => row.slice(1, 6))
}

/** What says how many entries of the audit there are. */
export function countOf(page: Page, entries: number): Locator {
  const text = entries === 1 ? '1 entry.' : `${entries} entries.`
  return page.getByRole('status').filter({ hasText: new RegExp(`^${text}$`) })
}

/** Alice's account, or another's, once its list is there: who, ticket, what, how long. */
export async function accountOf(page: Page): Promise<string[][]> {
  const cells = await cellsOf(rowsOf(page, 'Who acted as you'))
  return cells.map((row) => row.slice(1))
}

/** As a reader takes it, whose eyes skip line breaks. */
export async function textOf(locator: Locator): Promise<string> {
  return ((await locator.textContent()) ?? '').replaceAll(/\s+/g, ' ').trim()
}

/** Everything in the page, seen or not. */
export function everythingIn(page: Page): Promise<string> {
  return page.evaluate(() => document.documentElement.outerHTML)
}

/** Waits, since the browser gives the focus after it has drawn the page. */
export async function expectFocus(locator: Locator): Promise<void> {
  await locator.and(locator.page().locator(':focus')).waitFor()
}
