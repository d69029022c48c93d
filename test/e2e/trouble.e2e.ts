import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { act, banner, expectForgotten, message } from './support/acting.ts'
import { type LaunchedExample, launchExample } from './support/server.ts'
import { type Visit, visit } from './support/visit.ts'

const UNAVAILABLE = {
  error: 'temporarily_unavailable',
  error_description: 'the access token cannot be checked',
}

/** What an API in trouble does, and what the console says then. */
const TROUBLES = [
  {
    what: 'does not answer',
    status: undefined,
    words: 'The Orders API does not answer.',
    begin: (page: Page) => page.route(/\/orders\b/, (route) => route.abort('connectionrefused')),
  },
  {
    what: 'answers 503',
    status: 503,
    words: `The Orders API said 503 temporarily_unavailable: ${UNAVAILABLE.error_description}.`,
    begin: (page: Page) =>
      page.route(/\/orders\b/, (route) => route.fulfill({ status: 503, json: UNAVAILABLE })),
  },
  {
    what: 'answers 502 with the page of some proxy',
    status: 502,
    words: 'The Orders API said 502 unexpected: the answer could not be read.',
    begin: (page: Page) =>
      page.route(/\/orders\b/, (route) =>
        route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
      ),
  },
] as const

describe('the Orders API in trouble', () => {
  let example: LaunchedExample

  before(async () => {
    example = await launchExample()
  })
  after(() => example[Symbol.asyncDispose]())

  for (const { what, status, words, begin } of TROUBLES) {
    it(`${what}: the console says so, stays in the part, and asks again when told to`, async () => {
      await using person = await visit(example.url)
      const { page } = person
      await act(page)
      await begin(page)
      person.expectFailure('/orders', status)
      await page.getByRole('button', { name: 'Ask again' }).click()
      await expectTrouble(page, words)

      await tryAgain(page)
      await expectTrouble(page, words)

      await page.unroute(/\/orders\b/)
      await tryAgain(page)
      await page.getByText('Espresso machine').waitFor()
      expect(await message(page).textContent()).to.equal('')
      expect(await banner(page).isVisible()).to.equal(true)
    })

    it(`${what}: End works all the while`, async () => {
      await using person = await visit(example.url)
      const { page } = person
      await act(page)
      await begin(page)
      person.expectFailure('/orders', status)
      await page.getByRole('button', { name: 'Ask again' }).click()
      await expectTrouble(page, words)
      await page.getByRole('button', { name: 'End', exact: true }).click()
      await message(page).getByText('You no longer act as Alice Ng. You ended it after').waitFor()
      await expectForgotten(person)
    })

    it(`${what}: a change waits in its field, and is saved once it is back`, async () => {
      await using person = await visit(example.url)
      const { page } = person
      await act(page, { mayChange: true })
      await begin(page)
      person.expectFailure('/orders/A-1003', status)
      await saveNote(person, `Ring twice, ${what}`)
      await expectTrouble(page, words)
      const note = page.getByRole('textbox', { name: 'Delivery note for Coffee grinder' })
      expect(await note.inputValue()).to.equal(`Ring twice, ${what}`)

      await page.unroute(/\/orders\b/)
      await tryAgain(page)
      await message(page).getByText('Saved for Alice Ng').waitFor()
      await page.getByText(`Ring twice, ${what}`).waitFor()
    })
  }

  it('never answers: the console waits no longer than ten seconds', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await act(page)
    // A hundredth of them, here.
    await page.evaluate(() => {
      const timeout = AbortSignal.timeout.bind(AbortSignal)
      AbortSignal.timeout = (milliseconds) => timeout(milliseconds / 100)
    })
    await page.route('**/orders', () => {})
    await page.getByRole('button', { name: 'Ask again' }).click()
    await page.getByText('Asking the Orders API…').waitFor()
    await message(page).getByText('The Orders API does not answer.').waitFor()
    await page.unroute('**/orders')
    await tryAgain(page)
    await page.getByText('Espresso machine').waitFor()
  })

  it('refuses: there is no point in trying again, and it is not offered', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await act(page)
    person.expectFailure('/orders/email', 403)
    await page.getByLabel('New e-mail address').fill('new@example.com')
    await page.getByRole('button', { name: 'Change the e-mail address' }).click()
    await message(page).getByText('The Orders API said 403').waitFor()
    expect(await message(page).getByRole('button').count()).to.equal(0)
  })

  it('a request that is on its way when it is ended: it is dropped, and its answer not shown', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await act(page)
    const { promise, resolve } = Promise.withResolvers<void>()
    await page.route('**/orders', async (route) => {
      await promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Ask again' }).click()
    const dropped = page.waitForEvent('requestfailed', (it) => it.url().endsWith('/orders'))
    await page.getByRole('button', { name: 'End', exact: true }).click()
    await message(page).getByText('You no longer act as').waitFor()
    await dropped
    resolve()
    await expectForgotten(person)
  })
})

async function expectTrouble(page: Page, words: string): Promise<void> {
  await message(page).getByText(words, { exact: true }).waitFor()
  expect(await banner(page).isVisible()).to.equal(true)
  expect(await page.getByText('Asking the Orders API…').isVisible()).to.equal(false)
}

async function tryAgain(page: Page): Promise<void> {
  await message(page).getByRole('button', { name: 'Try again' }).click()
}

async function saveNote({ page }: Visit, note: string): Promise<void> {
  const field = page.getByRole('textbox', { name: 'Delivery note for Coffee grinder' })
  await field.fill(note)
  await field.press('Enter')
}
