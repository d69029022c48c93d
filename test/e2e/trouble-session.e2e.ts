import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { postForm } from '../example-provider/support.ts'
import {
  banner,
  enterConsole,
  expectForgotten,
  message,
  pressStart,
  sayWhy,
  startActing,
} from './support/acting.ts'
import { type StartedExample, startExampleHere } from './support/server.ts'
import { signIn, submitSignIn } from './support/sign-in.ts'
import { type Visit, visit } from './support/visit.ts'

const OVER = 'Your sign-in is over. Sign in again to go on; what you typed is kept.'
const HOUR = 3_600_000
const REASON = 'A parcel “lost” in the post;\nplease <b>hold</b> it'

describe('a sign-in that is over in mid-action', () => {
  let example: StartedExample

  beforeEach(async () => {
    example = await startExampleHere()
  })
  afterEach(() => example[Symbol.asyncDispose]())

  for (const [what, hours, needsPassword] of [
    ['the token has expired', 1.1, false],
    ['the session has expired as well', 9, true],
  ] as const) {
    it(`${what}: what was typed is there after the next sign-in, and starts`, async () => {
      await using person = await visit(example.url, { clock: new Date() })
      const { page } = person
      await enterConsole(page)
      const purpose = { customer: 'Bob Meyer', ticket: 'SUP-5', reason: REASON } as const
      await sayWhy(page, { ...purpose, mayChange: true, minutes: 2 })
      // Time passes for the browser as well: the proofs of the console are of its clock.
      example.moveClock(hours * HOUR)
      await page.clock.setSystemTime(Date.now())
      person.expectFailure('/support/impersonations', 401)
      await pressStart(page)
      await message(page).getByText(OVER, { exact: true }).waitFor()

      await signInAgain(page, needsPassword)
      await page.getByRole('heading', { name: 'Act as Bob Meyer' }).waitFor()
      expect(await page.getByLabel('Ticket number').inputValue()).to.equal('SUP-5')
      expect(await page.getByLabel('Reason', { exact: true }).inputValue()).to.equal(REASON)
      expect(await page.getByLabel('I must change orders').isChecked()).to.equal(true)
      expect(await page.getByLabel('2 minutes').isChecked()).to.equal(true)
      expect(await page.evaluate(() => ({ ...sessionStorage }))).to.deep.equal({})

      await pressStart(page)
      await banner(page).getByText('Bob Meyer').waitFor()
      await page.getByText('Desk lamp').waitFor()
      await page.getByRole('button', { name: 'Save the note' }).waitFor()
    })
  }

  it('while the audit is followed, and while acting: it says what signing in again ends', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    await revoke(page, await newestToken(person))
    person.expectFailure(/\/support\/audit\b/, 401)
    await page.getByRole('link', { name: 'Audit' }).click()
    await message(page).getByText(OVER).waitFor()
    await signInAgain(page, false)
    await page.getByRole('heading', { name: 'Customers' }).waitFor()

    const token = await newestToken(person)
    await startActing(page)
    await revoke(page, token)
    person.expectFailure('/support/customers', 401)
    await page.getByRole('link', { name: 'Customers' }).click()
    const words = `${OVER} That ends acting as Alice Ng.`
    await message(page).getByText(words, { exact: true }).waitFor()
    // The token of the customer is another one: it lives on, until the operator decides.
    expect(await banner(page).isVisible()).to.equal(true)
    await page.getByRole('link', { name: 'Orders', exact: true }).click()
    await page.getByText('Espresso machine').waitFor()

    await page.getByRole('link', { name: 'Customers' }).click()
    await signInAgain(page, false)
    await page.getByRole('heading', { name: 'Customers' }).waitFor()
    await expectForgotten(person)
  })

  it('what was typed outlives a sign-in that is cancelled, and is not for another person', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    await sayWhy(page, { ticket: 'SUP-5' })
    await signOutWhileTyping(person)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await message(page).getByText('The sign-in was cancelled.').waitFor()
    await signIn(page, page.getByRole('button', { name: 'Sign in' }))
    await page.getByRole('heading', { name: 'Act as Alice Ng' }).waitFor()
    expect(await page.getByLabel('Ticket number').inputValue()).to.equal('SUP-5')

    await signOutWhileTyping(person)
    person.expectFailure('/support/me', 403)
    await submitSignIn(page, 'alice', 'demo-password')
    await page.getByRole('heading', { name: 'This console is for support staff' }).waitFor()
    expect(await page.content()).not.to.contain('SUP-5')
    expect(await page.evaluate(() => ({ ...sessionStorage }))).to.deep.equal({})
    await signIn(page, page.getByRole('button', { name: 'Sign in as another user' }))
    await page.getByRole('heading', { name: 'Customers' }).waitFor()
  })
})

/** The operator's, if nothing has been started since the sign-in. */
async function newestToken({ tokens }: Visit): Promise<string> {
  const seen = await tokens.seen()
  return String(seen.findLast(({ name }) => name === 'access_token')?.value)
}

async function revoke(page: Page, token: string): Promise<void> {
  const url = new URL('/oidc/token/revocation', page.url()).href
  const { status } = await postForm(url, { token, client_id: 'support-console' })
  expect(status).to.equal(200)
}

/** At the sign-in page, with a form that waits. */
async function signOutWhileTyping(person: Visit): Promise<void> {
  const { page } = person
  await signOutElsewhere(person)
  person.expectFailure('/support/impersonations', 401)
  await pressStart(page)
  await message(page).getByRole('button', { name: 'Sign in again' }).click()
  await page.getByLabel('Login').waitFor()
}

async function signOutElsewhere({ context }: Visit): Promise<void> {
  const tab = await context.newPage()
  await tab.goto('/console')
  await tab.getByRole('button', { name: 'Sign in' }).click()
  await tab.getByRole('heading', { name: 'Customers' }).waitFor()
  await tab.getByRole('button', { name: 'Sign out' }).click()
  await tab.getByRole('heading', { name: 'Sign out?' }).waitFor()
  await tab.getByRole('button', { name: 'Sign out', exact: true }).click()
  await tab.waitForURL('**/console')
  await tab.close()
}

async function signInAgain(page: Page, needsPassword: boolean): Promise<void> {
  const again = message(page).getByRole('button', { name: 'Sign in again' })
  if (needsPassword) await signIn(page, again)
  else await again.click()
}
