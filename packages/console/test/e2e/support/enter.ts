import type { Page } from 'playwright-core'

/** Fills in the sign-in page of the deployment, and waits until the person is back. */
export async function submitSignIn(page: Page, person: string) {
  await page.getByLabel('Login').fill(person)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(({ pathname }) => !/^\/(?:sign-in|oidc)\//.test(pathname))
}

/**
 * Opens a page and signs in: by the button of the first page, or at once where a deep link leads to
 * the sign-in. Waits until the frame of a signed-in person is there.
 */
export async function enter(page: Page, person = 'olivia', path = '/console') {
  await page.goto(path)
  const door = page.getByRole('button', { name: /^(?:Sign in|Anmelden)$/ })
  const login = page.getByLabel('Login')
  const out = page.getByRole('button', { name: /^(?:Sign out|Abmelden)$/ })
  await door.or(login).or(out).first().waitFor()
  if (await out.isVisible()) return
  // The sign-in page of the deployment has a button of the same name.
  if (!(await login.isVisible())) await door.click()
  await submitSignIn(page, person)
  await out.waitFor()
}
