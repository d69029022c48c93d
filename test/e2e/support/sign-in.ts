import type { Locator, Page } from 'playwright-core'

/** Follows a link or button to the sign-in page, signs in there, and waits until it is left. */
export async function signIn(
  page: Page,
  from: Locator,
  login = 'olivia',
  password = 'demo-password',
): Promise<void> {
  await from.click()
  await submitSignIn(page, login, password)
  await page.waitForURL(({ pathname }) => !/^\/(?:sign-in|oidc)\//.test(pathname))
}

/** Fills in the sign-in page and submits it, without checking the result. */
export async function submitSignIn(page: Page, login: string, password: string): Promise<void> {
  await page.getByLabel('Login').fill(login)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Opens a page of the console or the account, and signs in with the demo's password, if it asks. */
export async function enter(page: Page, login: string, path: string): Promise<void> {
  await page.goto(path)
  const button = page.getByRole('button', { name: 'Sign in' })
  const field = page.getByLabel('Login')
  await button.or(field).first().waitFor()
  if (!(await field.isVisible())) await button.click()
  await submitSignIn(page, login, 'demo-password')
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
}
