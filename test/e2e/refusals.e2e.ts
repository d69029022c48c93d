import { expect } from 'chai'
import { banner, enterConsole, pressStart, sayWhy } from './support/acting.ts'
import { type LaunchedExample, launchExample } from './support/server.ts'
import { signIn, submitSignIn } from './support/sign-in.ts'
import { type Visit, visit } from './support/visit.ts'

describe('whom the console refuses', () => {
  let example: LaunchedExample

  before(async () => {
    example = await launchExample()
  })
  after(() => example[Symbol.asyncDispose]())

  for (const [id, name] of [
    ['grace', 'Grace Okafor'],
    ['olivia', 'Olivia Reyes'],
  ] as const) {
    it(`nobody acts as ${id}: she is shown as protected, and cannot be chosen`, async () => {
      await using person = await visit(example.url)
      const { page } = person
      await enterConsole(page)
      const row = page.getByRole('row', { name })
      await row.getByText('Protected: works here').waitFor()
      expect(await row.getByRole('button').count()).to.equal(0)
      const alice = page.getByRole('row', { name: 'Alice Ng' })
      expect(await alice.getByRole('button').count()).to.equal(1)
    })

    it(`nobody acts as ${id}, asked for without the list: refused, and on record`, async () => {
      await using person = await visit(example.url)
      const { page } = person
      await enterConsole(page)
      person.expectFailure('/support/impersonations', 403)
      const answer = await askFor(person, id, `SUP-${id}`)
      expect(answer).to.deep.equal({
        status: 403,
        body: { error: 'access_denied', error_description: 'this user is protected' },
      })

      await page.getByRole('link', { name: 'Audit' }).click()
      await page.getByLabel('What happened').selectOption('Refused by the backend')
      const entry = page.getByRole('row', { name: `SUP-${id}` })
      await entry.waitFor()
      const text = await entry.textContent()
      expect(text).to.contain('Refused by the backend')
      expect(text).to.contain('Refused: this user is protected')
      expect(await entry.getByRole('cell', { name: id, exact: true }).count()).to.be.above(0)
    })
  }

  for (const [login, what] of [
    ['alice', 'a customer'],
    ['grace', 'an administrator'],
  ] as const) {
    it(`${login}, ${what}, is turned away, and finds her account`, async () => {
      await using person = await turnedAway(login)
      const { page } = person
      expect(await page.getByRole('link', { name: 'Customers' }).isVisible()).to.equal(false)
      await page.getByRole('link', { name: 'Your account' }).click()
      await page.waitForURL('**/account')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Who acted as you' }).waitFor()
    })

    it(`${login}, ${what}, is turned away, and olivia signs in in her place`, async () => {
      await using person = await turnedAway(login)
      const { page } = person
      const instead = page.getByRole('button', { name: 'Sign in as another user' })
      await signIn(page, instead, 'olivia')
      await page.getByRole('heading', { name: 'Customers' }).waitFor()
      await page.getByText('Olivia Reyes', { exact: true }).first().waitFor()
      await sayWhy(page)
      await pressStart(page)
      await banner(page).waitFor()
    })

    it(`${login}, ${what}, is turned away, and signs out for good`, async () => {
      await using person = await turnedAway(login)
      const { page } = person
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'Sign out?' }).waitFor()
      await page.getByRole('button', { name: 'Sign out', exact: true }).click()
      await page.waitForURL('**/console')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByLabel('Password').waitFor()
    })
  }

  it('does not act for a customer who knows the address', async () => {
    await using person = await turnedAway('alice')
    person.expectFailure('/support/impersonations', 403)
    const { status, body } = await askFor(person, 'bob', 'SUP-alice')
    expect(status).to.equal(403)
    expect(body).to.have.property('error_description', 'only support staff may act as a customer')
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
  const token = seen.find(({ name }) => name === 'access_token')?.value
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
