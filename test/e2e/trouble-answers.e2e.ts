import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { banner, enterConsole, message, pressStart, sayWhy, startActing } from './support/acting.ts'
import { type SharedExample, sharedExample } from './support/server.ts'
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

/** Enough, where the same code reads the answer. */
const SOME = [ANSWERS[0], ANSWERS[2]] as const

/** Access tokens that are none, or with which the page could not count down or prove anything. */
const NOT_USABLE = [
  { access_token: 'x', token_type: 'DPoP', expires_in: 600 },
  { access_token: 'a.e30.c', token_type: 'DPoP' },
  { access_token: 'a.e30.c', token_type: 'Bearer', expires_in: 600 },
]

const UNREADABLE = '200 unexpected: the answer could not be read.'
/** As oauth4webapi sees it, that was no token endpoint. */
const NO_ANSWER = 'Acting as Alice Ng did not begin. The server does not answer.'

describe('answers that are not what they should be', () => {
  let example: SharedExample

  before(async () => {
    example = await sharedExample()
  })

  it('instead of customers, the audit, orders, and who has signed in', async () => {
    await using person = await visit(example.url)
    const { page } = person
    const words = `The support backend said ${UNREADABLE}`
    await enterConsole(page)
    await expectWords(page, '**/support/customers?q=alice*', words, ANSWERS, () =>
      page.getByLabel('Search').fill('alice'),
    )
    await page.getByText('1 person').waitFor()
    await page.getByRole('link', { name: 'Audit' }).click()
    // The list is asked for once more when the stream has come: only the one of the filter counts.
    await page.getByText('Live', { exact: true }).waitFor()
    await expectWords(page, '**/support/audit?text=SUP*', words, SOME, () =>
      page.getByLabel('Text').fill('SUP'),
    )
    await page.getByText(/^\d+ entr|^Nothing matches/).waitFor()

    await page.getByRole('link', { name: 'Customers' }).click()
    await startActing(page)
    await expectWords(page, '**/orders', `The Orders API said ${UNREADABLE}`, SOME, () =>
      page.getByRole('button', { name: 'Ask again' }).click(),
    )
    await page.getByText('Espresso machine').waitFor()
    expect(await banner(page).isVisible()).to.equal(true)

    await page.reload()
    await expectWords(page, '**/support/me', words, SOME, () =>
      page.getByRole('button', { name: 'Sign in' }).click(),
    )
    await page.getByRole('heading', { name: 'Customers' }).waitFor()
  })

  it('instead of a subject token, and of the answer to the exchange', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    await sayWhy(page)
    const words = `Acting as Alice Ng did not begin. The server said ${UNREADABLE}`
    await expectWords(page, '**/support/impersonations', words, SOME, () => pressStart(page))
    await banner(page).waitFor()
    await banner(page).getByRole('button', { name: 'End' }).click()
    await sayWhy(page)
    await expectWords(page, '**/oidc/token', NO_ANSWER, SOME, () => pressStart(page))
    await banner(page).waitFor()
    await banner(page).getByRole('button', { name: 'End' }).click()

    for (const json of NOT_USABLE) {
      await sayWhy(page)
      await page.route('**/oidc/token', (route) => route.fulfill({ json }), { times: 1 })
      await pressStart(page)
      await message(page).getByText(UNREADABLE).waitFor()
      expect(await banner(page).isVisible()).to.equal(false)
      await page.getByRole('button', { name: 'Cancel' }).click()
    }
  })
})

/** One after the other, each with another try; the last one gets the real answer. */
async function expectWords(
  page: Page,
  url: string,
  words: string,
  answers: readonly (typeof ANSWERS)[number][],
  ask: () => Promise<void>,
): Promise<void> {
  const again = message(page).getByRole('button', { name: 'Try again' })
  for (const [index, answer] of answers.entries()) {
    await page.route(url, (route) => route.fulfill(answer), { times: 1 })
    await (index === 0 ? ask() : again.click())
    await message(page).getByText(words, { exact: true }).waitFor()
    expect(await message(page).locator('h1').count(), 'markup of the answer').to.equal(0)
  }
  await again.click()
  await message(page).getByText(words).waitFor({ state: 'detached' })
}
