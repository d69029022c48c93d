import type { Locator, Page } from 'playwright-core'

/** Helpers for the tests of the story. This file contains no test. */

/**
 * The time limit of a long test. It is long enough for a step's own time-out, which names the
 * missing thing.
 */
export const LONG = 40_000

/** The views that are open to an operator who acts. */
export const VIEWS = ['Customers', 'Orders', 'Look inside', 'Audit'] as const

/** Follows a link of the navigation. */
export async function goTo(page: Page, view: (typeof VIEWS)[number]): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: view, exact: true }).click()
}

/** Ends it, and waits until the provider has ended it. */
export async function endActing(page: Page): Promise<void> {
  const written = page.waitForResponse('**/impersonations/current/end')
  await page.getByRole('button', { name: 'End', exact: true }).click()
  await written
}

/** The rows below the headings of a table. */
export function rowsOf(page: Page, region: string): Locator {
  return page.getByRole('region', { name: region }).locator('tbody tr')
}

/** The text of each row, cell by cell. */
export function cellsOf(rows: Locator): Promise<string[][]> {
  return rows.evaluateAll((all) =>
    all.map((row) => [...row.children].map((cell) => cell.textContent.trim())),
  )
}

/**
 * The audit, after the given number of entries arrived: what, operator, customer, why, how long.
 */
export async function auditOf(page: Page, entries: number): Promise<string[][]> {
  await page.getByRole('status').getByText('Live', { exact: true }).waitFor()
  await countOf(page, entries).waitFor()
  const cells = await cellsOf(rowsOf(page, 'Entries of the audit'))
  return cells.map((row) => row.slice(1, 6))
}

/** The element that shows the number of audit entries. */
export function countOf(page: Page, entries: number): Locator {
  const text = entries === 1 ? '1 entry.' : `${entries} entries.`
  return page.getByRole('status').filter({ hasText: new RegExp(`^${text}$`) })
}

/**
 * The account of alice or of another customer, after its list is loaded: who, ticket, what, how
 * long.
 */
export async function accountOf(page: Page): Promise<string[][]> {
  const cells = await cellsOf(rowsOf(page, 'Who acted as you'))
  return cells.map((row) => row.slice(1))
}

/** The text as a reader sees it: line breaks count as spaces. */
export async function textOf(locator: Locator): Promise<string> {
  return ((await locator.textContent()) ?? '').replaceAll(/\s+/g, ' ').trim()
}

/** All text in the page, visible or hidden. */
export function everythingIn(page: Page): Promise<string> {
  return page.evaluate(() => document.documentElement.outerHTML)
}

/** Waits, since the browser gives the focus after it has drawn the page. */
export async function expectFocus(locator: Locator): Promise<void> {
  await locator.and(locator.page().locator(':focus')).waitFor()
}
