import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { act, banner, enterConsole, message, startActing } from './support/acting.ts'
import { type SharedExample, sharedExample } from './support/server.ts'
import { submitSignIn } from './support/sign-in.ts'
import { type Visit, visit } from './support/visit.ts'

describe('more than one tab, and going back and forth', () => {
  let example: SharedExample

  before(async () => {
    example = await sharedExample()
  })

  it('two sign-ins at the same time, and two customers: each has their own banner, orders and end', async () => {
    await using person = await visit(example.url)
    const [one, two] = [person.page, await person.context.newPage()]
    for (const page of [one, two]) {
      await page.goto('/console')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByLabel('Login').waitFor()
    }
    for (const page of [two, one]) {
      await submitSignIn(page, 'olivia', 'demo-password')
      await page.getByRole('heading', { name: 'Customers' }).waitFor()
      expect(await message(page).textContent()).to.equal('')
    }
    await startActing(one, { customer: 'Alice Ng', ticket: 'SUP-1', mayChange: true })
    await startActing(two, { customer: 'Bob Meyer', ticket: 'SUP-2' })

    await expectActing(one, 'Alice Ng', 'SUP-1', ['A-1001', 'A-1002', 'A-1003'])
    await expectActing(two, 'Bob Meyer', 'SUP-2', ['B-2001'])
    for (const page of [one, two]) await page.getByRole('button', { name: 'Ask again' }).click()
    await expectActing(one, 'Alice Ng', 'SUP-1', ['A-1001', 'A-1002', 'A-1003'])
    await expectActing(two, 'Bob Meyer', 'SUP-2', ['B-2001'])

    await one.getByRole('button', { name: 'End', exact: true }).click()
    await message(one).getByText('You no longer act as Alice Ng.').waitFor()
    await two.getByRole('button', { name: 'Ask again' }).click()
    await expectActing(two, 'Bob Meyer', 'SUP-2', ['B-2001'])
    expect(await message(two).textContent()).to.equal('')
  })

  it('signing out in one tab ends acting in the other, which says so', async () => {
    await using person = await visit(example.url)
    const [one, two] = [person.page, await person.context.newPage()]
    await enterConsole(one)
    await signInByOneClick(two)
    await startActing(two, { customer: 'Bob Meyer' })
    await one.getByRole('button', { name: 'Sign out' }).click()
    await one.getByRole('heading', { name: 'Sign out?' }).waitFor()
    await one.getByRole('button', { name: 'Sign out', exact: true }).click()
    await one.waitForURL('**/console')

    await message(two).getByText('Your sign-in is over.').waitFor()
    expect(await banner(two).isVisible()).to.equal(false)
    await message(two).getByRole('button', { name: 'Sign in again' }).click()
    await two.getByLabel('Password').waitFor()
  })

  it('another person in another tab does not become the first one', async () => {
    await using person = await visit(example.url)
    const [one, two] = [person.page, await person.context.newPage()]
    for (const page of [one, two]) {
      await page.goto('/console')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByLabel('Login').waitFor()
    }
    await submitSignIn(one, 'olivia', 'demo-password')
    await one.getByRole('heading', { name: 'Customers' }).waitFor()
    person.expectFailure('/support/me', 403)
    await submitSignIn(two, 'alice', 'demo-password')
    await two.getByText('You are signed in as alice').waitFor()
    expect(await one.locator('#operator').textContent()).to.equal('Olivia Reyes')
    expect(await two.getByRole('link', { name: 'Customers' }).isVisible()).to.equal(false)
  })

  it('who reloads or leaves the page while acting is signed out there, and Back brings nothing back', async () => {
    await using person = await visit(example.url)
    const { page } = person
    // Back out of the sign-in page first: the console can sign in once more.
    await page.goto('/console')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Login').waitFor()
    await page.goBack()
    await act(page, { ticket: 'SUP-reload' })
    await page.reload()
    await expectNothingLeft(person, page)
    await signInByOneClick(page)
    expect(await banner(page).isVisible()).to.equal(false)
    await page.getByRole('link', { name: 'Audit' }).click()
    await ended(page, 'SUP-reload').waitFor()

    await page.getByRole('link', { name: 'Customers' }).click()
    await startActing(page)
    await page.goto('/account')
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    await page.goBack()
    await expectNothingLeft(person, page)
    await page.goForward()
    await page.goBack()
    await expectNothingLeft(person, page)
  })

  it('a tab that is closed while acting is in the audit as ended', async () => {
    await using person = await visit(example.url)
    const [page, tab] = [person.page, await person.context.newPage()]
    await enterConsole(tab)
    await tab.getByRole('link', { name: 'Audit' }).click()
    await tab.getByText('Live', { exact: true }).waitFor()
    await signInByOneClick(page)
    await startActing(page, { ticket: 'SUP-closed' })
    await page.close({ runBeforeUnload: true })
    await ended(tab, 'SUP-closed').waitFor()
  })
})

/** The provider remembers her; the page does not. */
async function signInByOneClick(page: Page): Promise<void> {
  if (!page.url().includes('/console')) await page.goto('/console')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Customers' }).waitFor()
}

async function expectActing(
  page: Page,
  customer: string,
  ticket: string,
  orders: readonly string[],
): Promise<void> {
  const text = await banner(page).textContent()
  expect(text).to.contain(customer)
  expect(text).to.contain(ticket)
  await page.getByRole('heading', { name: `Orders of ${customer}` }).waitFor()
  const ids = await page.locator('#orders [data-slot=id]').allTextContents()
  expect(ids).to.deep.equal(orders)
}

async function expectNothingLeft({ tokens }: Visit, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).waitFor()
  expect(await banner(page).isVisible()).to.equal(false)
  expect(await page.content()).not.to.contain('Espresso machine')
  await tokens.expectNowhere()
}

/** Its entry in the audit. */
function ended(page: Page, ticket: string) {
  return page.getByRole('row', { name: `${ticket}:` }).filter({ hasText: 'Ended' })
}
