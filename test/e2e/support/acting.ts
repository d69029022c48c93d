import { equal } from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { signIn } from './sign-in.ts'
import type { Visit } from './visit.ts'

export interface Purpose {
  /** @defaultValue `'Alice Ng'` */
  readonly customer?: string
  /** @defaultValue `'SUP-123'` */
  readonly ticket?: string
  /** @defaultValue `'Order lost in the post'` */
  readonly reason?: string
  /** Whether to ask for `orders:write`. */
  readonly mayChange?: boolean
  /** @defaultValue `10` */
  readonly minutes?: 2 | 5 | 10
}

/** The banner over every page during an impersonation. */
export function banner(page: Page): Locator {
  return page.getByRole('complementary', { name: 'Impersonation' })
}

/** What the console says above the page. */
export function message(page: Page): Locator {
  return page.locator('#message')
}

/** Opens the console and signs in there, until the customers are shown. */
export async function enterConsole(page: Page, login = 'olivia'): Promise<void> {
  await page.goto('/console')
  await signIn(page, page.getByRole('button', { name: 'Sign in' }), login)
  await page.getByRole('heading', { name: 'Customers' }).waitFor()
}

/** Chooses a customer from the list and enters the reason; does not start yet. */
export async function sayWhy(page: Page, purpose: Purpose = {}): Promise<void> {
  const { customer = 'Alice Ng', ticket = 'SUP-123', minutes = 10 } = purpose
  await page.getByRole('button', { name: `Act as ${customer}` }).click()
  await page.getByLabel('Ticket number').fill(ticket)
  await page.getByLabel('Reason', { exact: true }).fill(purpose.reason ?? 'Order lost in the post')
  await page.getByLabel('I must change orders').setChecked(purpose.mayChange ?? false)
  await page.getByLabel(`${minutes} minutes`).check()
}

export async function pressStart(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Start acting' }).click()
}

/** Starts acting from the list of customers, and waits for the banner and the orders. */
export async function startActing(page: Page, purpose: Purpose = {}): Promise<void> {
  await sayWhy(page, purpose)
  await pressStart(page)
  await banner(page).waitFor()
  await page.locator('#orders article').first().waitFor()
}

/** Signs olivia in, and starts acting. */
export async function act(page: Page, purpose: Purpose = {}): Promise<void> {
  await enterConsole(page)
  await startActing(page, purpose)
}

/** Expects that the impersonation is over: no banner, no orders, and no token. */
export async function expectForgotten({ page, urls }: Visit): Promise<void> {
  await banner(page).waitFor({ state: 'hidden' })
  const asked = () => urls.filter((url) => /\/orders\b/.test(url)).length
  const before = asked()
  for (const view of ['act', 'inside']) {
    await page.evaluate((hash) => {
      location.hash = hash
    }, view)
    await page.waitForURL('**/console#customers')
  }
  await page.getByRole('heading', { name: 'Customers' }).waitFor()
  equal(await page.getByRole('link', { name: 'Look inside' }).isVisible(), false)
  equal(await page.locator('#orders article').count(), 0, 'orders are still there')
  equal(asked(), before, 'the Orders API was asked')
}
