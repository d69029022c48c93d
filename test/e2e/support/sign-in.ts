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
