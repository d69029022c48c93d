import { expect } from 'chai'
import { type SharedExample, sharedExample } from './support/server.ts'
import { signIn, submitSignIn } from './support/sign-in.ts'
import { type Visit, visit } from './support/visit.ts'

describe('whom the console refuses', () => {
  let example: SharedExample

  before(async () => {
    example = await sharedExample()
  })

  it('a customer is turned away, does not act by knowing the address, and finds her account', async () => {
    await using person = await turnedAway('alice')
    const { page } = person
    expect(await page.getByRole('link', { name: 'Customers' }).isVisible()).to.equal(false)
    person.expectFailure('/support/impersonations', 403)
    const { status, body } = await askFor(person, 'bob', 'SUP-alice')
    expect(status).to.equal(403)
    expect(body).to.have.property('error_description', 'only support staff may act as a customer')

    await page.getByRole('link', { name: 'Your account' }).click()
    await page.waitForURL('**/account')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Who acted as you' }).waitFor()

    await page.goto('/console')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign out?' }).waitFor()
    await page.getByRole('button', { name: 'Sign out', exact: true }).click()
    await page.waitForURL('**/console')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Password').waitFor()
  })

  it('an administrator is turned away; for olivia in her place, those who work here are protected', async () => {
    await using person = await turnedAway('grace')
    const { page } = person
    await signIn(page, page.getByRole('button', { name: 'Sign in as another user' }), 'olivia')
    await page.getByRole('heading', { name: 'Customers' }).waitFor()
    await page.getByText('Olivia Reyes', { exact: true }).first().waitFor()
    for (const name of ['Grace Okafor', 'Olivia Reyes']) {
      const row = page.getByRole('row', { name })
      await row.getByText('Protected: works here').waitFor()
      expect(await row.getByRole('button').count(), name).to.equal(0)
    }
    expect(await page.getByRole('button', { name: 'Act as Alice Ng' }).count()).to.equal(1)

    person.expectFailure('/support/impersonations', 403)
    expect(await askFor(person, 'grace', 'SUP-grace')).to.deep.equal({
      status: 403,
      body: { error: 'access_denied', error_description: 'this user is protected' },
    })
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByLabel('What happened').selectOption('Refused by the backend')
    const entry = page.getByRole('row', { name: 'SUP-grace' })
    await entry.waitFor()
    const text = await entry.textContent()
    expect(text).to.contain('Refused by the backend')
    expect(text).to.contain('Refused: this user is protected')
    expect(await entry.getByRole('cell', { name: 'grace', exact: true }).count()).to.be.above(0)
  })

  /** In the console, where she has no business. */
  async function turnedAway(login: string): Promise<Visit> {
    const person = await visit(example.url)
    const { page } = person
    person.expectFailure('/support/me', 403)
    await page.goto('/console')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await submitSignIn(page, login, 'demo-password')
    await page.getByRole('heading', { name: 'This console is for support staff' }).waitFor()
    await page.getByText(`You are signed in as ${login}`).waitFor()
    return person
  }
})

/** As the page would ask, with the token that it has. */
async function askFor({ page, tokens }: Visit, userId: string, ticketId: string) {
  const seen = await tokens.seen()
  const token = seen.findLast(({ name }) => name === 'access_token')?.value
  return page.evaluate(
    async ([authorization, body]) => {
      const response = await fetch('/support/impersonations', {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body,
      })
      const answer: unknown = await response.json()
      return { status: response.status, body: answer }
    },
    [`Bearer ${token}`, JSON.stringify({ userId, ticketId, reason: 'curiosity' })] as const,
  )
}
