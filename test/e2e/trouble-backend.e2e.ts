import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { banner, enterConsole, message, pressStart, sayWhy } from './support/acting.ts'
import { type LaunchedExample, launchExample } from './support/server.ts'
import { submitSignIn } from './support/sign-in.ts'
import { visit } from './support/visit.ts'

describe('the support backend and the provider in trouble', () => {
  let example: LaunchedExample

  before(async () => {
    example = await launchExample()
  })
  after(() => example[Symbol.asyncDispose]())

  it('no backend when the console opens: the sign-in is not lost', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await breakDown(page, '**/support/me')
    person.expectFailure('/support/me')
    await page.goto('/console')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await submitSignIn(page, 'olivia', 'demo-password')
    await message(page).getByText('The support backend does not answer.').waitFor()
    await page.unroute('**/support/me')
    await tryAgain(page)
    await page.getByRole('heading', { name: 'Customers' }).waitFor()
    await page.getByRole('button', { name: 'Act as Alice Ng' }).waitFor()
  })

  it('no backend when customers are looked for', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    await breakDown(page, '**/support/customers?*')
    person.expectFailure('/support/customers')
    await page.getByLabel('Search').fill('bob')
    await message(page).getByText('The support backend does not answer.').waitFor()
    await page.unroute('**/support/customers?*')
    await tryAgain(page)
    await page.getByText('1 person').waitFor()
    await page.getByRole('button', { name: 'Act as Bob Meyer' }).waitFor()
  })

  it('too many requests: the words of the backend, and another try', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    await page.route('**/support/customers?*', (route) =>
      route.fulfill({
        status: 429,
        json: { error: 'slow_down', error_description: 'too many requests' },
      }),
    )
    person.expectFailure('/support/customers', 429)
    await page.getByLabel('Search').fill('bob')
    const words = 'The support backend said 429 slow_down: too many requests.'
    await message(page).getByText(words).waitFor()
    await page.unroute('**/support/customers?*')
    await tryAgain(page)
    await page.getByText('1 person').waitFor()
  })

  it('no backend at the start: the form stays filled, and another try starts', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    await sayWhy(page, { ticket: 'SUP-7', mayChange: true })
    await breakDown(page, '**/support/impersonations')
    person.expectFailure('/support/impersonations')
    await pressStart(page)
    const words = 'Acting as Alice Ng did not begin. The server does not answer.'
    await message(page).getByText(words).waitFor()
    expect(await page.getByLabel('Ticket number').inputValue()).to.equal('SUP-7')
    await page.unroute('**/support/impersonations')
    await tryAgain(page)
    await banner(page).getByText('SUP-7').waitFor()
    await page.getByRole('button', { name: 'Save the note' }).first().waitFor()
  })

  it('another try starts with what the form says by then', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    await sayWhy(page, { ticket: 'SUP-7', mayChange: true })
    await breakDown(page, '**/oidc/token')
    person.expectFailure('/oidc/token')
    await pressStart(page)
    await message(page).getByText('did not begin. The server does not answer.').waitFor()
    await page.unroute('**/oidc/token')
    await page.getByLabel('Ticket number').fill('SUP-8')
    await page.getByLabel('I must change orders').uncheck()
    await tryAgain(page)
    await banner(page).getByText('SUP-8').waitFor()
    await page.getByText('This impersonation is read-only').first().waitFor()
    expect(await page.getByRole('button', { name: 'Save the note' }).count()).to.equal(0)
  })

  for (const [what, answer] of [
    ['no answer', undefined],
    ['503', { status: 503, json: { error: 'temporarily_unavailable' } }],
    ['the page of somebody else', { contentType: 'text/html', body: '<h1>Hotel WiFi</h1>' }],
  ] as const) {
    it(`no provider at the sign-in, ${what}: it says so, and another try leads on`, async () => {
      await using person = await visit(example.url)
      const { page } = person
      await page.route('**/.well-known/openid-configuration', (route) =>
        answer ? route.fulfill(answer) : route.abort('connectionrefused'),
      )
      if (what !== 'the page of somebody else') person.expectFailure(/openid-configuration/)
      await page.goto('/console')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await message(page).getByText('The provider does not answer.').waitFor()
      await page.unroute('**/.well-known/openid-configuration')
      await tryAgain(page)
      await submitSignIn(page, 'olivia', 'demo-password')
      await page.getByRole('heading', { name: 'Customers' }).waitFor()
    })
  }

  it('another provider at the sign-in: it says so, and nobody is sent there', async () => {
    await using person = await visit(example.url)
    const { page, urls } = person
    const json = { issuer: 'https://evil.example', authorization_endpoint: `${example.url}/evil` }
    await page.route('**/.well-known/openid-configuration', (route) => route.fulfill({ json }))
    await page.goto('/console')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await message(page).getByText(`The provider is not the one of ${example.url}.`).waitFor()
    expect(urls.filter((url) => url.includes('/evil'))).to.deep.equal([])
  })

  it('no provider when a sign-in comes back: it says so, and the next one needs no password', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await breakDown(page, '**/oidc/token')
    person.expectFailure('/oidc/token')
    await page.goto('/console')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await submitSignIn(page, 'olivia', 'demo-password')
    await message(page).getByText('The provider cannot be reached.').waitFor()
    await page.unroute('**/oidc/token')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Customers' }).waitFor()
  })
})

async function breakDown(page: Page, url: string): Promise<void> {
  await page.route(url, (route) => route.abort('connectionrefused'))
}

async function tryAgain(page: Page): Promise<void> {
  await message(page).getByRole('button', { name: 'Try again' }).click()
}
