import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'
import {
  act,
  banner,
  enterConsole,
  expectForgotten,
  message,
  pressStart,
  sayWhy,
} from './support/acting.ts'
import { type StartedExample, startExampleHere } from './support/server.ts'
import { type Visit, visit } from './support/visit.ts'

const SUBJECT_TOKEN_REFUSED =
  'Acting as Alice Ng did not begin. The server said 400 invalid_request: subject token is invalid.'

describe('tokens that are refused', () => {
  let example: StartedExample

  beforeEach(async () => {
    example = await startExampleHere()
  })
  afterEach(() => example[Symbol.asyncDispose]())

  it('a subject token that was used or has expired on the way', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    await sayWhy(page, { ticket: 'SUP-9', mayChange: true, minutes: 5 })
    await beforeExchange(page, async (route) => {
      const answer = await fetch(route.request().url(), {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: String(route.request().postData()),
      })
      expect(answer.status).to.equal(200)
    })
    await expectNotBegun(person)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('link', { name: 'Audit' }).click()
    const replayed = page.getByRole('row', { name: 'Replayed' })
    await replayed.getByRole('cell', { name: 'SUP-9: ' }).first().waitFor()

    await page.getByRole('link', { name: 'Customers' }).click()
    await sayWhy(page, { ticket: 'SUP-9', mayChange: true, minutes: 5 })
    await beforeExchange(page, async () => example.moveClock(700_000))
    await expectNotBegun(person)
    await startAfterAll(page)
  })

  it('an access token that has expired before a change: nothing is changed, and it is over', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await act(page, { mayChange: true })
    example.moveClock(700_000)
    person.expectFailure('/orders/A-1003', 401)
    const form = page.locator('#orders form').last()
    await form.getByRole('textbox').fill('Too late')
    await form.getByRole('button', { name: 'Save the note' }).click()
    await expectEndedByApi(person)
    await expectForgotten(person)
    expect(await page.content()).not.to.contain('Too late')
  })

  async function expectEndedByApi({ page }: Visit): Promise<void> {
    await message(page).getByText('You no longer act as Alice Ng.').waitFor()
    const text = await message(page).textContent()
    expect(text).to.match(/The Orders API said 401 invalid_token: .+\. The token is forgotten\.$/)
    expect(await banner(page).isVisible()).to.equal(false)
  }
})

/** Does something while the next exchange is on its way. */
async function beforeExchange(page: Page, work: (route: Route) => Promise<void>): Promise<void> {
  await page.route(
    '**/oidc/token',
    async (route) => {
      await work(route)
      await route.continue()
    },
    { times: 1 },
  )
}

/** With the form as it was left. */
async function expectNotBegun(person: Visit): Promise<void> {
  const { page } = person
  person.expectFailure('/oidc/token', 400)
  await pressStart(page)
  await message(page).getByText('did not begin').waitFor()
  expect(await message(page).textContent()).to.equal(SUBJECT_TOKEN_REFUSED)
  // Asked once more, in the same way, it would be refused again.
  expect(await message(page).getByRole('button').count()).to.equal(0)
  expect(await banner(page).isVisible()).to.equal(false)
  expect(await page.getByLabel('Ticket number').inputValue()).to.equal('SUP-9')
  expect(await page.getByLabel('Reason', { exact: true }).inputValue()).to.equal(
    'Order lost in the post',
  )
  expect(await page.getByLabel('I must change orders').isChecked()).to.equal(true)
  expect(await page.getByLabel('5 minutes').isChecked()).to.equal(true)
}

async function startAfterAll(page: Page): Promise<void> {
  await pressStart(page)
  await banner(page).getByText('SUP-9').waitFor()
  await page.getByText('Espresso machine').waitFor()
  expect(await message(page).textContent()).to.equal('')
}
