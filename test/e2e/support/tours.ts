import type { Page } from 'playwright-core'
import { banner, enterConsole, message, pressStart, startActing } from './acting.ts'
import { signIn } from './sign-in.ts'
import type { Visit } from './visit.ts'

/** The function to call at each view, after the view is complete. */
export type Look = (view: string) => Promise<void>

/** A way through views. */
export type Tour = (person: Visit, look: Look) => Promise<void>

/**
 * Together, the tours visit every view, in this order in the same example: the first ones leave the
 * audit empty, and Bob's account.
 */
export const TOURS: Readonly<Record<string, Tour>> = {
  'on the way in': async ({ page, ...person }, look) => {
    await page.goto('/console')
    await heading(page, 'Support console')
    await look('signed out')

    person.expectFailure('/support/me', 403)
    await signIn(page, page.getByRole('button', { name: 'Sign in' }), 'alice')
    await heading(page, 'This console is for support staff')
    await look('turned away')
  },

  'choosing a customer, and saying why': async ({ page }, look) => {
    await enterConsole(page)
    await page.getByRole('rowheader', { name: 'Alice Ng' }).waitFor()
    await look('customers')
    await page.getByLabel('Search by name').fill('nobody is called that')
    await page.getByRole('button', { name: 'Show all customers' }).waitFor()
    await look('nobody found')
    await page.getByRole('button', { name: 'Show all customers' }).click()

    await page.getByRole('button', { name: 'Act as Alice Ng' }).click()
    await heading(page, 'Act as Alice Ng')
    await look('reason')
    await pressStart(page)
    await page.getByText('Enter the number of the ticket').waitFor()
    await look('reason, with problems')
  },

  'the pages of the provider': async ({ page, ...person }, look) => {
    await page.goto('/')
    await look('front page')
    await enterConsole(page)
    await page.goto('/oidc/session/end')
    await look('sign-out')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await heading(page, 'Signed out')
    await look('signed out')
    await page.goto('/console')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await heading(page, 'Sign in')
    await look('sign-in')

    person.expectFailure(/\/oidc\/auth\?client_id=nobody/, 400)
    await page.goto('/oidc/auth?client_id=nobody')
    await look('a request to sign in that the provider refuses')
    person.expectFailure('/sign-in/long-ago', 400)
    await page.goto('/sign-in/long-ago')
    await look('a sign-in that is over')
    await page.goto('/support/callback?error=access_denied')
    await look('a sign-in that was cancelled, elsewhere')
  },

  'acting, with changes, and the audit': async ({ page }, look) => {
    await enterConsole(page)
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByText('Nothing has happened yet').waitFor()
    await look('audit, empty')

    await page.getByRole('link', { name: 'Customers' }).click()
    await startActing(page, { mayChange: true })
    await look('orders, with changes')
    const beans = page.locator('#orders article', { hasText: 'Coffee beans' })
    await beans.getByLabel('Delivery note').fill('Leave it with the neighbours')
    await beans.getByRole('button', { name: 'Save the note' }).click()
    await beans.getByText('olivia acting').waitFor()
    await look('orders, changed')

    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByText('2 entries').waitFor()
    await openDetails(page)
    await look('audit')
    await page.getByLabel('Text').fill('nothing that was ever said')
    await page.getByText('Nothing matches').waitFor()
    await look('audit, filtered to nothing')
    await banner(page).getByRole('button', { name: 'End' }).click()
    await banner(page).waitFor({ state: 'hidden' })
    await look('audit, ended')
  },

  'the account of a customer': async ({ page, context }, look) => {
    await page.goto('/account')
    await heading(page, 'Your account')
    await look('account, signed out')
    await signIn(page, page.getByRole('button', { name: 'Sign in' }), 'bob')
    await page.getByText('No operator has acted as you').waitFor()
    await look('account, empty')

    await context.clearCookies()
    const support = await context.newPage()
    await enterConsole(support)
    await startActing(support, { customer: 'Bob Meyer', mayChange: true })
    await support.close()

    await page.getByRole('button', { name: 'Look again' }).click()
    await page.getByRole('cell', { name: 'Olivia Reyes (support)' }).waitFor()
    await look('account')
  },

  'acting, to look': async ({ page, tokens, ...person }, look) => {
    await enterConsole(page)
    await startActing(page)
    await look('orders, read-only')
    await page.getByLabel('New e-mail address').fill('not an address')
    await page.getByRole('button', { name: 'Change the e-mail address' }).click()
    await look('the e-mail address, with a problem')
    person.expectFailure('/orders/email', 403)
    await page.getByLabel('New e-mail address').fill('new@example.org')
    await page.getByRole('button', { name: 'Change the e-mail address' }).click()
    await message(page).getByText('access_denied').waitFor()
    await look('the e-mail address, refused')

    await page.getByRole('link', { name: 'Look inside' }).click()
    await heading(page, 'Look inside')
    await openDetails(page)
    await look('inside, masked')
    tokens.reveal()
    await page.getByLabel('Show the tokens themselves').check()
    await openDetails(page)
    await look('inside, revealed')

    await page.getByRole('link', { name: 'Customers' }).click()
    await page.getByRole('rowheader', { name: 'Alice Ng' }).waitFor()
    tokens.conceal()
    await look('customers, while acting')
    await banner(page).getByRole('button', { name: 'End' }).click()
    await message(page).getByText('You no longer act as Alice Ng').waitFor()
    await look('ended')
  },
}

function heading(page: Page, name: string): Promise<void> {
  return page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
}

async function openDetails(page: Page): Promise<void> {
  for (const summary of await page.locator('summary:visible').all()) await summary.click()
}
