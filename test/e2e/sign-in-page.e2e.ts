import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { authorizationUrl } from '../../example-provider/demo/commands.ts'
import { expectAccessible } from '../../packages/console/test/e2e/support/axe.ts'
import { expectFocus } from '../../packages/console/test/e2e/support/focus.ts'
import {
  NARROWEST,
  type Visit,
  visit,
  WIDE,
} from '../../packages/console/test/e2e/support/visit.ts'
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

  /** What the application was told. */
  async function answer({ page }: Visit): Promise<URLSearchParams> {
    await page.waitForURL('**/support/callback?*')
    return new URL(page.url()).searchParams
  }

  it('is accessible, fits, and says that the password is wrong without markup of the login', async () => {
    await using person = await askToSignIn()
    const { page } = person
    await expectAccessible(page)
    await expectToFit(page)

    person.expectFailure(/\/sign-in\//, 401)
    const login = '"><img src=x onerror=alert(1)>'
    await submitSignIn(page, login, 'wrong')
    const alert = page.getByRole('alert')
    expect(await alert.textContent()).to.equal('Login or password is wrong.')
    expect(await page.getByLabel('Login').inputValue(), 'the login is kept').to.equal(login)
    expect(await page.getByLabel('Password').inputValue()).to.equal('')
    await expectAccessible(page)
    await expectToFit(page)

    const light = await textColor(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    expect(await textColor(page), 'it follows the color scheme').not.to.equal(light)
    await submitSignIn(page, 'olivia', 'demo-password')
    expect((await answer(person)).get('code')).to.match(/^[\w-]+$/)
  })

  it('can be left by keyboard: the application learns that it was cancelled', async () => {
    await using person = await askToSignIn()
    const { page } = person
    await expectFocus(page.getByLabel('Login'))
    for (let presses = 0; presses < 3; presses += 1) await page.keyboard.press('Tab')
    await expectFocus(page.getByRole('button', { name: 'Cancel' }))
    await page.keyboard.press('Enter')
    expect((await answer(person)).get('error')).to.equal('access_denied')
  })
})

async function expectToFit(page: Page): Promise<void> {
  for (const viewport of [NARROWEST, WIDE]) {
    await page.setViewportSize(viewport)
    const [needed, there] = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement
      return [scrollWidth, clientWidth]
    })
    expect(needed, `it scrolls sideways, ${viewport.width} wide`).to.be.at.most(there ?? 0)
  }
}

function textColor(page: Page): Promise<string> {
  return page.evaluate(() => getComputedStyle(document.body).color)
}
