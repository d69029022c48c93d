import { expect } from 'chai'
import { banner, enterConsole, message, pressStart, sayWhy } from './support/acting.ts'
import { startExampleHere } from './support/server.ts'
import { signIn } from './support/sign-in.ts'
import { visit } from './support/visit.ts'

/** Just longer ago than the stricter rules allow. */
const LONG_AGO = 3_700_000
const REASON = 'A parcel “lost” in the post'

describe('the stricter rules, in the support console', () => {
  it('who signed in too long ago signs in again, with the password, and goes on', async () => {
    await using example = await startExampleHere({ STRICT: '1' })
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    await page.getByRole('button', { name: 'Act as Alice Ng' }).waitFor()
    example.moveClock(LONG_AGO)
    // The provider knows her still: a token that is new, of a sign-in that is not.
    await page.goto('/console')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Customers' }).waitFor()

    const purpose = { customer: 'Bob Meyer', ticket: 'SUP-7', reason: REASON } as const
    await sayWhy(page, { ...purpose, mayChange: true, minutes: 5 })
    person.expectFailure('/oidc/token', 400)
    await pressStart(page)
    await message(page).getByText('actor token is invalid').waitFor()
    await message(page).getByText('Sign in once more; what you typed is kept.').waitFor()
    expect(await banner(page).isVisible()).to.equal(false)
    expect(await message(page).getByRole('button').allTextContents()).to.have.length(1)

    await signIn(page, message(page).getByRole('button', { name: 'Sign in again' }))
    await page.getByRole('heading', { name: 'Act as Bob Meyer' }).waitFor()
    expect(await page.getByLabel('Ticket number').inputValue()).to.equal('SUP-7')
    expect(await page.getByLabel('Reason', { exact: true }).inputValue()).to.equal(REASON)
    expect(await page.getByLabel('I must change orders').isChecked()).to.equal(true)
    expect(await page.getByLabel('5 minutes').isChecked()).to.equal(true)
    await pressStart(page)
    await banner(page).getByText('Bob Meyer').waitFor()
    await page.getByText('Desk lamp').waitFor()
  })
})
