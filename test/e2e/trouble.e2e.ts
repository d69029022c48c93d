import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { act, banner, expectForgotten, message } from './support/acting.ts'
import { type SharedExample, sharedExample } from './support/server.ts'
import { type Visit, visit } from './support/visit.ts'

const UNAVAILABLE = {
  error: 'temporarily_unavailable',
  error_description: 'the access token cannot be checked',
}

const ORDERS = /\/orders\b/

/** What an API in trouble does, and what the console says then. */
const TROUBLES = [
  {
    status: undefined,
    words: 'The Orders API does not answer.',
    begin: (page: Page) => page.route(ORDERS, (route) => route.abort('connectionrefused')),
  },
  {
    status: 503,
    words: `The Orders API said 503 temporarily_unavailable: ${UNAVAILABLE.error_description}.`,
    begin: (page: Page) =>
      page.route(ORDERS, (route) => route.fulfill({ status: 503, json: UNAVAILABLE })),
  },
  {
    // The page of some proxy.
    status: 502,
    words: 'The Orders API said 502 unexpected: the answer could not be read.',
    begin: (page: Page) =>
      page.route(ORDERS, (route) =>
        route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
      ),
  },
] as const

describe('the Orders API in trouble', () => {
  let example: SharedExample

  before(async () => {
    example = await sharedExample()
  })

  it('the console says what is wrong, and asks again when told to', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await act(page)
    for (const [index, { status, words, begin }] of TROUBLES.entries()) {
      await page.unroute(ORDERS)
      await begin(page)
      person.expectFailure('/orders', status)
      if (index === 0) await page.getByRole('button', { name: 'Ask again' }).click()
      else await tryAgain(page)
      await expectTrouble(page, words)
    }

    await page.unroute(ORDERS)
    await tryAgain(page)
    await page.getByText('Espresso machine').waitFor()
    expect(await message(page).textContent()).to.equal('')
    expect(await banner(page).isVisible()).to.equal(true)
  })

  it('a change waits in its field, and is saved once it is back; End works all the while', async () => {
    await using person = await visit(example.url)
    const { page } = person
    const [, { status, words, begin }] = TROUBLES
    await act(page, { mayChange: true })
    await begin(page)
    person.expectFailure('/orders/A-1003', status)
    await saveNote(person, 'Ring twice')
    await expectTrouble(page, words)
    const note = page.getByRole('textbox', { name: 'Delivery note for Coffee grinder' })
    expect(await note.inputValue()).to.equal('Ring twice')
    await page.unroute(ORDERS)
    await tryAgain(page)
    await message(page).getByText('Saved for Alice Ng').waitFor()
    await page.getByText('Ring twice').waitFor()

    await begin(page)
    person.expectFailure('/orders', status)
    await page.getByRole('button', { name: 'Ask again' }).click()
    await expectTrouble(page, words)
    await page.getByRole('button', { name: 'End', exact: true }).click()
    await message(page).getByText('You no longer act as Alice Ng. You ended it after').waitFor()
    await expectForgotten(person)
  })

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
