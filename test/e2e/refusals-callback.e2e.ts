import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { message } from './support/acting.ts'
import { type SharedExample, sharedExample } from './support/server.ts'
import { submitSignIn } from './support/sign-in.ts'
import { type Visit, visit } from './support/visit.ts'

describe('answers to a sign-in that the console refuses', () => {
  let example: SharedExample

  before(async () => {
    example = await sharedExample()
  })

  it('none of them leads to a request for tokens, and the next sign-in works', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await page.goto('/console/callback')
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    expect(await message(page).textContent(), 'without an answer, it is the console').to.equal('')

    await arrive(person, { code: 'forged', state: 'forged' })
    await expectRefusal(person, 'This sign-in was begun in another tab, or is over already.')
    for (const forge of [
      () => ({ code: 'forged', state: 'forged' }),
      () => ({ code: 'forged' }),
      (state: string) => ({ code: 'forged', state, iss: 'https://evil.example' }),
      (state: string) => ({ code: 'forged', state, iss: '' }),
      () => ({ error: 'access_denied', state: 'forged' }),
    ]) {
      await arrive(person, forge(await begin(page)))
      await expectRefusal(person, 'The answer is not one to the sign-in of this tab.')
    }
    const unavailable = { error: 'temporarily_unavailable', state: await begin(page) }
    await arrive(person, unavailable)
    await expectRefusal(person, 'The provider did not let you in: temporarily_unavailable.')
    const markup = { error: '<img src=x onerror=alert(1)>', state: await begin(page) }
    await arrive(person, markup)
    await expectRefusal(person, 'The provider did not let you in: <img')
    expect(await message(page).locator('img').count()).to.equal(0)

    await begin(page)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await expectRefusal(person, 'The sign-in was cancelled.')
    await signInAfterAll(page)
  })

  it('a code that the provider does not know, and the address of a sign-in that is done', async () => {
    await using person = await visit(example.url)
    const { page, urls } = person
    const state = await begin(page)
    person.expectFailure('/oidc/token', 400)
    await arrive(person, { code: 'forged', state })
    await message(page).getByText('The sign-in took too long, or is over already.').waitFor()
    expect(page.url()).to.equal(`${example.url}/console`)
    await signInAfterAll(page)

    const used = urls.findLast((url) => url.includes('/console/callback?'))
    const requests = () => urls.filter((url) => url.endsWith('/oidc/token')).length
    const before = requests()
    await page.goto(String(used))
    await message(page).getByText('This sign-in was begun in another tab').waitFor()
    expect(requests()).to.equal(before)
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
