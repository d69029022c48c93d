import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { enterConsole, message } from './support/acting.ts'
import { type LaunchedExample, launchExample } from './support/server.ts'
import { submitSignIn } from './support/sign-in.ts'
import { type Visit, visit } from './support/visit.ts'

describe('answers to a sign-in that the console refuses', () => {
  let example: LaunchedExample

  before(async () => {
    example = await launchExample()
  })
  after(() => example[Symbol.asyncDispose]())

  it('a sign-in that was cancelled: it says so, and the next one works', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await begin(page)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expectRefusal(person, 'The sign-in was cancelled.')
    await signInAfterAll(page)
  })

  it('a code that nobody in this tab asked for', async () => {
    await using person = await visit(example.url)
    await arrive(person, { code: 'forged', state: 'forged' })
    await expectRefusal(person, 'This sign-in was begun in another tab, or is over already.')
    await signInAfterAll(person.page)
  })

  for (const [what, forge] of [
    ['a state that is not that of this tab', () => ({ code: 'forged', state: 'forged' })],
    ['no state', () => ({ code: 'forged' })],
    [
      'the issuer of somebody else',
      (state: string) => ({ code: 'forged', state, iss: 'https://evil.example' }),
    ],
    ['no issuer', (state: string) => ({ code: 'forged', state, iss: '' })],
    ['an error for another tab', () => ({ error: 'access_denied', state: 'forged' })],
  ] as const) {
    it(`an answer with ${what}`, async () => {
      await using person = await visit(example.url)
      const state = await begin(person.page)
      await arrive(person, forge(state))
      await expectRefusal(person, 'The answer is not one to the sign-in of this tab.')
      await signInAfterAll(person.page)
    })
  }

  it('an error of the provider, in its own word', async () => {
    await using person = await visit(example.url)
    const state = await begin(person.page)
    await arrive(person, { error: 'temporarily_unavailable', state })
    await expectRefusal(person, 'The provider did not let you in: temporarily_unavailable.')
    await signInAfterAll(person.page)
  })

  it('an error whose word is markup', async () => {
    await using person = await visit(example.url)
    const state = await begin(person.page)
    await arrive(person, { error: '<img src=x onerror=alert(1)>', state })
    await message(person.page).getByText('did not let you in').waitFor()
    expect(await message(person.page).locator('img').count()).to.equal(0)
  })

  it('a code that the provider does not know', async () => {
    await using person = await visit(example.url)
    const { page } = person
    const state = await begin(page)
    person.expectFailure('/oidc/token', 400)
    await arrive(person, { code: 'forged', state })
    await message(page).getByText('The sign-in took too long, or is over already.').waitFor()
    expect(page.url()).to.equal(`${example.url}/console`)
    await signInAfterAll(page)
  })

  it('the address of a sign-in that is done, opened once more', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    const used = person.urls.findLast((url) => url.includes('/console/callback?'))
    await page.goto(String(used))
    await message(page).getByText('This sign-in was begun in another tab').waitFor()
    expect(person.urls.filter((url) => url.endsWith('/oidc/token'))).to.have.length(1)
  })

  it('the callback without an answer is the console', async () => {
    await using person = await visit(example.url)
    await person.page.goto('/console/callback')
    await person.page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await message(person.page).textContent()).to.equal('')
  })

  /** Comes back from the provider, or so it seems. */
  async function arrive(person: Visit, answer: Record<string, string>): Promise<void> {
    const parameters = new URLSearchParams({ iss: `${example.url}/oidc`, ...answer })
    if (answer.iss === '') parameters.delete('iss')
    await person.page.goto(`/console/callback?${parameters}`)
  }

  async function expectRefusal({ page, urls }: Visit, words: string): Promise<void> {
    await message(page).getByText(words).waitFor()
    expect(page.url()).to.equal(`${example.url}/console`)
    expect(urls.filter((url) => url.endsWith('/oidc/token'))).to.deep.equal([])
  }
})

/** Goes to the sign-in page, and gives the state of this sign-in. */
async function begin(page: Page): Promise<string> {
  await page.goto('/console')
  const asked = page.waitForRequest('**/oidc/auth?*')
  await page.getByRole('button', { name: 'Sign in' }).click()
  const { searchParams } = new URL((await asked).url())
  await page.getByLabel('Login').waitFor()
  return String(searchParams.get('state'))
}

async function signInAfterAll(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in' }).click()
  await submitSignIn(page, 'olivia', 'demo-password')
  await page.getByRole('heading', { name: 'Customers' }).waitFor()
}
