import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { banner, enterConsole, message, pressStart, sayWhy } from './support/acting.ts'
import { type SharedExample, sharedExample } from './support/server.ts'
import { submitSignIn } from './support/sign-in.ts'
import { visit } from './support/visit.ts'

const DISCOVERY = '**/.well-known/openid-configuration'

/** No answer, an error, and the page of a hotel network. */
const NO_PROVIDER = [
  undefined,
  { status: 503, json: { error: 'temporarily_unavailable' } },
  { contentType: 'text/html', body: '<h1>Hotel WiFi</h1>' },
] as const

describe('the support backend and the provider in trouble', () => {
  let example: SharedExample

  before(async () => {
    example = await sharedExample()
  })

  it('on the way in: the console says so, and another try leads on', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await page.goto('/console')
    for (const [index, answer] of NO_PROVIDER.entries()) {
      await page.route(
        DISCOVERY,
        (route) => (answer ? route.fulfill(answer) : route.abort('connectionrefused')),
        { times: 1 },
      )
      if (index === 0) await page.getByRole('button', { name: 'Sign in' }).click()
      else await tryAgain(page)
      await message(page).getByText('The provider does not answer.').waitFor()
    }
    person.expectFailure(/openid-configuration/, undefined)
    person.expectFailure(/openid-configuration/, 503)

    await breakDown(page, '**/oidc/token')
    person.expectFailure('/oidc/token')
    await tryAgain(page)
    await submitSignIn(page, 'olivia', 'demo-password')
    await message(page).getByText('The provider cannot be reached.').waitFor()
    await page.unroute('**/oidc/token')

    await breakDown(page, '**/support/me')
    person.expectFailure('/support/me')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await message(page).getByText('The support backend does not answer.').waitFor()
    await page.unroute('**/support/me')
    await tryAgain(page)
    await page.getByRole('heading', { name: 'Customers' }).waitFor()
    await page.getByRole('button', { name: 'Act as Alice Ng' }).waitFor()

    await breakDown(page, '**/support/customers?*')
    person.expectFailure('/support/customers')
    await page.getByLabel('Search').fill('bob')
    await message(page).getByText('The support backend does not answer.').waitFor()
    await page.unroute('**/support/customers?*')
    const json = { error: 'slow_down', error_description: 'too many requests' }
    await page.route('**/support/customers?*', (route) => route.fulfill({ status: 429, json }))
    person.expectFailure('/support/customers', 429)
    await tryAgain(page)
    const words = 'The support backend said 429 slow_down: too many requests.'
    await message(page).getByText(words).waitFor()
    await page.unroute('**/support/customers?*')
    await tryAgain(page)
    await page.getByText('1 person').waitFor()
    await page.getByRole('button', { name: 'Act as Bob Meyer' }).waitFor()
  })

  it('at the start: the form stays filled, and another try starts with what it says by then', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    await sayWhy(page, { ticket: 'SUP-7', mayChange: true })
    const words = 'Acting as Alice Ng did not begin. The server does not answer.'
    await breakDown(page, '**/support/impersonations')
    person.expectFailure('/support/impersonations')
    await pressStart(page)
    await message(page).getByText(words).waitFor()
    expect(await page.getByLabel('Ticket number').inputValue()).to.equal('SUP-7')
    await page.unroute('**/support/impersonations')

    await breakDown(page, '**/oidc/token')
    person.expectFailure('/oidc/token')
    const failed = page.waitForEvent('requestfailed')
    await tryAgain(page)
    await failed
    await message(page).getByText(words).waitFor()
    await page.unroute('**/oidc/token')
    await page.getByLabel('Ticket number').fill('SUP-8')
    await page.getByLabel('I must change orders').uncheck()
    await tryAgain(page)
    await banner(page).getByText('SUP-8').waitFor()
    await page.getByText('This impersonation is read-only').first().waitFor()
    expect(await page.getByRole('button', { name: 'Save the note' }).count()).to.equal(0)
  })

  it('another provider at the sign-in: it says so, and nobody is sent there', async () => {
    await using person = await visit(example.url)
    const { page, urls } = person
    const json = { issuer: 'https://evil.example', authorization_endpoint: `${example.url}/evil` }
    await page.route(DISCOVERY, (route) => route.fulfill({ json }))
    await page.goto('/console')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await message(page).getByText(`The provider is not the one of ${example.url}.`).waitFor()
    expect(urls.filter((url) => url.includes('/evil'))).to.deep.equal([])
  })
})

async function breakDown(page: Page, url: string): Promise<void> {
  await page.route(url, (route) => route.abort('connectionrefused'))
}

async function tryAgain(page: Page): Promise<void> {
  await message(page).getByRole('button', { name: 'Try again' }).click()
}
