import { expect } from 'chai'
import { authorizationUrl } from '../../example-provider/demo/commands.ts'
import { expectAccessible } from '../../packages/console/test/e2e/support/axe.ts'
import { type Visit, visit } from '../../packages/console/test/e2e/support/visit.ts'
import { type SharedExample, sharedExample } from './support/server.ts'
import { submitSignIn } from './support/sign-in.ts'

describe('the sign-in page', () => {
  let example: SharedExample

  before(async () => {
    example = await sharedExample()
  })

  async function askToSignIn(): Promise<Visit> {
    const person = await visit(example.url)
    await person.page.goto(authorizationUrl(example.url))
    return person
  }

  /** The answers that the application was given. */
  async function answer({ page }: Visit): Promise<URLSearchParams> {
    await page.waitForURL('**/support/callback?*')
    return new URL(page.url()).searchParams
  }

  it('is accessible, and says that the password is wrong without markup of the login', async () => {
    await using person = await askToSignIn()
    const { page } = person
    await expectAccessible(page)
    person.expectFailure(/\/sign-in\//, 401)
    const login = '"><img src=x onerror=alert(1)>'
    await submitSignIn(page, login, 'wrong')
    const alert = page.getByRole('alert')
    expect(await alert.textContent()).to.equal('Login or password is wrong.')
    expect(await page.getByLabel('Login').inputValue(), 'the login is kept').to.equal(login)
    expect(await page.getByLabel('Password').inputValue()).to.equal('')
    await expectAccessible(page)
    await submitSignIn(page, 'olivia', 'demo-password')
    expect((await answer(person)).get('code')).to.match(/^[\w-]+$/)
  })

  it('can be left: the application learns that it was cancelled', async () => {
    await using person = await askToSignIn()
    await person.page.getByRole('button', { name: 'Cancel' }).press('Enter')
    expect((await answer(person)).get('error')).to.equal('access_denied')
  })
})
