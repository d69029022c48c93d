import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { banner, enterConsole, startActing } from './support/acting.ts'
import { type SharedExample, sharedExample } from './support/server.ts'
import { submitSignIn } from './support/sign-in.ts'
import { everythingIn, goTo, rowsOf } from './support/story-steps.ts'
import { visit } from './support/visit.ts'

describe('who signs out', () => {
  let example: SharedExample

  before(async () => {
    example = await sharedExample()
  })

  it('is asked once more, comes back to the console, and ends acting with it, for the backend, too', async () => {
    await using olivia = await visit(example.url)
    const { page } = olivia
    await enterConsole(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Stay signed in' }).click()
    await page.waitForURL('**/console')
    // Without a password: she is signed in.
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('rowheader', { name: 'Alice Ng' }).waitFor()

    await startActing(page, { ticket: 'SUP-13' })
    await signOut(page)
    expect(await banner(page).isVisible()).to.equal(false)
    expect(await everythingIn(page)).not.to.include('Espresso')

    // Not even the address brings it back.
    await page.goto('/console#act')
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await page.getByRole('navigation').getByRole('link').count()).to.equal(0)
    expect(await page.getByRole('heading', { name: 'Orders of' }).isVisible()).to.equal(false)
    // The answer came to a page that was gone: whether it arrived is in the audit.
    await page.getByRole('button', { name: 'Sign in' }).click()
    await submitSignIn(page, 'olivia', 'demo-password')
    await page.getByRole('rowheader', { name: 'Alice Ng' }).waitFor()
    await goTo(page, 'Audit')
    const ended = rowsOf(page, 'Entries of the audit').filter({ hasText: 'Ended' })
    await ended.filter({ hasText: 'SUP-13' }).waitFor()
    await olivia.tokens.expectNowhere(example.log())
  })
})

/** Presses the button, confirms it, and is back at the console. */
async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign out?' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/console')
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
}
