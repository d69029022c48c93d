import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { act, banner, enterConsole, message, pressStart, sayWhy } from './support/acting.ts'
import { type LaunchedExample, launchExample } from './support/server.ts'
import { visit } from './support/visit.ts'

/** With status 200, and yet not what was asked for. */
const ANSWERS = [
  { contentType: 'text/html', body: '<h1>Welcome to the hotel</h1>' },
  { contentType: 'text/plain', body: '{"orders": [{"id' },
  { json: {} },
  { json: null },
  { json: ['a', 'b'] },
  { json: 'orders' },
  { body: '' },
] as const

const UNREADABLE = '200 unexpected: the answer could not be read.'
/** As oauth4webapi sees it, that was no token endpoint. */
const NO_ANSWER = 'Acting as Alice Ng did not begin. The server does not answer.'

describe('answers that are not what they should be', () => {
  let example: LaunchedExample

  before(async () => {
    example = await launchExample()
  })
  after(() => example[Symbol.asyncDispose]())

  it('instead of customers', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    await expectWords(
      page,
      '**/support/customers?*',
      `The support backend said ${UNREADABLE}`,
      () => page.getByLabel('Search').fill('bob'),
    )
    await page.getByRole('button', { name: 'Act as Bob Meyer' }).waitFor()
  })

  it('instead of orders', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await act(page)
    await expectWords(page, '**/orders', `The Orders API said ${UNREADABLE}`, () =>
      page.getByRole('button', { name: 'Ask again' }).click(),
    )
    await page.getByText('Espresso machine').waitFor()
    expect(await banner(page).isVisible()).to.equal(true)
  })

  it('instead of the audit', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    await expectWords(page, '**/support/audit?*', `The support backend said ${UNREADABLE}`, () =>
      page.getByRole('link', { name: 'Audit' }).click(),
    )
    await page.getByText(/^\d+ entr|^Nothing has happened yet/).waitFor()
  })

  it('instead of a subject token', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    await sayWhy(page)
    const words = `Acting as Alice Ng did not begin. The server said ${UNREADABLE}`
    await expectWords(page, '**/support/impersonations', words, () => pressStart(page))
    await banner(page).waitFor()
  })

  it('instead of an answer to the exchange', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    await sayWhy(page)
    await expectWords(page, '**/oidc/token', NO_ANSWER, () => pressStart(page))
    await banner(page).waitFor()
  })

  for (const [what, json] of [
    ['that is none', { access_token: 'x', token_type: 'Bearer', expires_in: 600 }],
    ['that says not how long', { access_token: 'a.e30.c', token_type: 'Bearer' }],
  ] as const) {
    it(`instead of an access token, one ${what}`, async () => {
      await using person = await visit(example.url)
      const { page } = person
      await enterConsole(page)
      await sayWhy(page)
      await page.route('**/oidc/token', (route) => route.fulfill({ json }))
      await pressStart(page)
      await message(page).getByText(UNREADABLE).waitFor()
      expect(await banner(page).isVisible()).to.equal(false)
      await page.unroute('**/oidc/token')
      await pressStart(page)
      await banner(page).waitFor()
    })
  }

  it('instead of who has signed in', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    await page.reload()
    await expectWords(page, '**/support/me', `The support backend said ${UNREADABLE}`, () =>
      page.getByRole('button', { name: 'Sign in' }).click(),
    )
    await page.getByRole('heading', { name: 'Customers' }).waitFor()
  })
})

/** One after the other, each with another try; the last one gets the real answer. */
async function expectWords(
  page: Page,
  url: string,
  words: string,
  ask: () => Promise<void>,
): Promise<void> {
  const again = message(page).getByRole('button', { name: 'Try again' })
  for (const [index, answer] of ANSWERS.entries()) {
    await page.route(url, (route) => route.fulfill(answer), { times: 1 })
    await (index === 0 ? ask() : again.click())
    await message(page).getByText(words, { exact: true }).waitFor()
    expect(await message(page).locator('h1').count(), 'markup of the answer').to.equal(0)
  }
  await again.click()
  await message(page).getByText(words).waitFor({ state: 'detached' })
}
