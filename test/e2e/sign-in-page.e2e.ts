import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { authorizationUrl } from '../../example-provider/commands.ts'
import { expectAccessible } from './support/axe.ts'
import { type LaunchedExample, launchExample } from './support/server.ts'
import { submitSignIn } from './support/sign-in.ts'
import { NARROW, type Visit, type VisitOptions, visit, WIDE } from './support/visit.ts'

describe('the sign-in page', () => {
  let example: LaunchedExample

  before(async () => {
    example = await launchExample()
  })
  after(() => example[Symbol.asyncDispose]())

  async function askToSignIn(options?: VisitOptions): Promise<Visit> {
    const person = await visit(example.url, options)
    await person.page.goto(authorizationUrl(example.url))
    return person
  }

  /** What the application was told. It takes that out of its address at once. */
  async function answer({ page, urls }: Visit): Promise<URLSearchParams> {
    await page.waitForURL('**/console')
    const callback = urls.findLast((url) => url.includes('/console/callback?'))
    return new URL(callback ?? 'none:').searchParams
  }

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const viewport of [NARROW, WIDE]) {
      it(`is accessible and fits, ${colorScheme}, ${viewport.width} wide`, async () => {
        await using person = await askToSignIn({ colorScheme, viewport })
        const { page } = person
        await expectAccessible(page)
        await expectToFit(page)

        person.expectFailure(/\/sign-in\//, 401)
        await submitSignIn(page, 'olivia', 'wrong')
        await page.getByRole('alert').waitFor()
        await expectAccessible(page)
        await expectToFit(page)
      })
    }
  }

  it('follows the color scheme', async () => {
    await using light = await askToSignIn({ colorScheme: 'light' })
    await using dark = await askToSignIn({ colorScheme: 'dark' })
    expect(await textColor(light.page)).not.to.equal(await textColor(dark.page))
  })

  it('needs no mouse: the login has the focus, Tab leads on, Enter signs in', async () => {
    await using person = await askToSignIn()
    const { page } = person
    const { keyboard } = page
    await expectFocus(page.getByLabel('Login'))
    await keyboard.type('olivia')
    await keyboard.press('Tab')
    await keyboard.type('demo-password')
    await keyboard.press('Enter')
    expect((await answer(person)).get('code')).to.match(/^[\w-]+$/)
  })

  it('says that the password is wrong, and keeps the login', async () => {
    await using person = await askToSignIn()
    const { page } = person
    person.expectFailure(/\/sign-in\//, 401)
    await submitSignIn(page, 'olivia', 'wrong')
    expect(await page.getByRole('alert').textContent()).to.equal('Login or password is wrong.')
    expect(await page.getByLabel('Login').inputValue()).to.equal('olivia')
    expect(await page.getByLabel('Password').inputValue()).to.equal('')

    await submitSignIn(page, 'olivia', 'demo-password')
    expect((await answer(person)).has('code')).to.equal(true)
  })

  it('shows a login as it was typed, not as markup', async () => {
    await using person = await askToSignIn()
    person.expectFailure(/\/sign-in\//, 401)
    const login = '"><img src=x onerror=alert(1)>'
    await submitSignIn(person.page, login, 'wrong')
    await person.page.getByRole('alert').waitFor()
    expect(await person.page.getByLabel('Login').inputValue()).to.equal(login)
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

/** Waits, since the browser gives the focus after it has drawn the page. */
async function expectFocus(locator: Locator): Promise<void> {
  await locator.and(locator.page().locator(':focus')).waitFor()
}

async function expectToFit(page: Page): Promise<void> {
  const [needed, there] = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    return [scrollWidth, clientWidth]
  })
  expect(needed, 'it scrolls sideways').to.be.at.most(there ?? 0)
}

function textColor(page: Page): Promise<string> {
  return page.evaluate(() => getComputedStyle(document.body).color)
}
