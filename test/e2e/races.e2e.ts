import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'
import {
  act,
  banner,
  enterConsole,
  message,
  pressStart,
  sayWhy,
  startActing,
} from './support/acting.ts'
import { type SharedExample, sharedExample } from './support/server.ts'
import { visit } from './support/visit.ts'

const BOB = { customer: 'Bob Meyer', ticket: 'SUP-bob', reason: 'A lamp that flickers' } as const
const EXPIRED = { error: 'invalid_token', error_description: 'the token has expired' }

describe('what comes late in the support console, and what is left of it', () => {
  let example: SharedExample

  before(async () => {
    example = await sharedExample()
  })

  it('a refusal about one customer does not end acting as the next', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await act(page)
    const asked = await hold(page, 'GET', '/orders')
    await page.getByRole('button', { name: 'Ask again' }).click()
    await asked.arrived
    await end(page)
    await startActing(page, BOB)
    await asked.answer(401, EXPIRED)
    await expectUntroubled(page)
  })

  it('a save that fails offers no second try with the token of the next customer', async () => {
    await using person = await visit(example.url)
    const { page, urls } = person
    await act(page, { mayChange: true })
    const saved = await hold(page, 'PATCH', '/orders/A-1002')
    await saveNote(page, 'Never to Bob')
    await saved.arrived
    await end(page)
    await startActing(page, { ...BOB, mayChange: true })
    await saved.answer(503, { error: 'unavailable' })
    await expectUntroubled(page)
    expect(await page.getByRole('button', { name: 'Try again' }).count()).to.equal(0)
    expect(urls.filter((url) => url.endsWith('/orders/A-1002'))).to.have.length(1)
  })

  it('a start that was cancelled begins nothing and keeps the next form', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    const titles = await titlesOf(page)
    const asked = await hold(page, 'POST', '/oidc/token')
    await sayWhy(page, { ticket: 'SUP-alice' })
    await pressStart(page)
    await asked.arrived
    await page.getByRole('button', { name: 'Cancel' }).click()
    await sayWhy(page, BOB)
    const start = page.getByRole('button', { name: 'Start acting' })
    expect(await start.getAttribute('aria-busy'), 'it can be started at once').to.equal(null)
    await asked.goOn()
    await expectNothingBegins(page)
    expect(await page.getByLabel('Ticket number').inputValue()).to.equal(BOB.ticket)
    expect(await page.getByLabel('Reason', { exact: true }).inputValue()).to.equal(BOB.reason)
    expect(await message(page).textContent()).to.equal('')
    await pressStart(page)
    await banner(page).getByText(BOB.customer).waitFor()
    expect(await titles())
      .to.contain('Bob Meyer')
      .and.not.to.contain('Alice Ng')
  })

  it('whoever leaves while a start is on its way starts nothing', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    const asked = await hold(page, 'POST', '/support/impersonations')
    await sayWhy(page)
    await pressStart(page)
    await asked.arrived
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByRole('heading', { name: 'Audit' }).waitFor()
    await asked.goOn()
    await expectNothingBegins(page)
    expect(new URL(page.url()).hash).to.equal('#audit')
    expect(await page.getByRole('link', { name: 'Look inside' }).isVisible()).to.equal(false)
    expect(await message(page).textContent()).to.equal('')
  })

  it('a note that is saved leaves what is typed elsewhere; End stops what is being saved, and says so', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await act(page, { mayChange: true })
    const other = page.getByLabel('Delivery note for Coffee grinder')
    await other.fill('Half a sen')
    await saveNote(page, 'Behind the shed')
    await message(page).getByText('Saved for Alice Ng').waitFor()
    const beans = page.locator('#orders article', { hasText: 'Coffee beans' })
    await beans.getByText('Behind the shed').waitFor()
    expect(await other.inputValue()).to.equal('Half a sen')

    const saved = await hold(page, 'PATCH', '/orders/A-1002')
    await saveNote(page, 'Perhaps')
    await saved.arrived
    const [failed] = await Promise.all([page.waitForEvent('requestfailed'), end(page)])
    expect(new URL(failed.url()).pathname).to.equal('/orders/A-1002')
    expect(failed.failure()?.errorText).to.equal('net::ERR_ABORTED')
    await message(page).getByText('What was being saved may have been saved.').waitFor()

    await startActing(page, { mayChange: true })
    await end(page)
    expect(await message(page).textContent()).not.to.contain('may have been saved')
  })

  it('after the end, nothing of the customer is in the page, and Back leads to what was before', async () => {
    await using person = await visit(example.url)
    const { page, urls } = person
    await enterConsole(page)
    for (const view of ['Audit', 'Customers']) {
      await page.getByRole('link', { name: view }).click()
      await page.getByRole('heading', { name: view }).waitFor()
    }
    await startActing(page, { ticket: 'SUP-gone', reason: 'Nobody needs to know' })
    await page.getByRole('link', { name: 'Look inside' }).click()
    await page.getByRole('heading', { name: 'How it came about' }).waitFor()
    await end(page)
    for (const place of ['#banner', '#view-reason', '#view-act', '#view-inside', 'head']) {
      const markup = await page.locator(place).innerHTML()
      for (const trace of ['Alice Ng', 'alice@', 'SUP-gone', 'Nobody needs', 'Espresso', 'A-100']) {
        expect(markup, place).not.to.contain(trace)
      }
    }
    expect(await page.locator('#ticket').inputValue()).to.equal('')
    expect(await page.locator('#reason').inputValue()).to.equal('')
    expect(await page.locator('#banner [data-slot=left]').textContent()).to.equal('')

    const orders = () => urls.filter((url) => url.endsWith('/orders')).length
    const asked = orders()
    const seen: string[] = []
    // Out of the orders, out of the reason, the customers of before, and the audit of before.
    for (let step = 0; step < 4; step += 1) {
      seen.push(await back(page))
      await page.locator('#view-act, #view-inside').first().waitFor({ state: 'hidden' })
    }
    expect(seen).to.deep.equal(['#customers', '#customers', '#customers', '#audit'])
    await page.getByRole('heading', { name: 'Audit' }).waitFor()
    expect(await page.content()).not.to.contain('A-1001')
    expect(orders()).to.equal(asked)
  })
})

interface Held {
  /** Resolves when the request is under way. */
  readonly arrived: Promise<Route>
  /** Lets it through to the server, if it is still wanted. */
  goOn(): Promise<void>
  answer(status: number, json: object): Promise<void>
}

/** Holds the next such request. The ones after it go through. */
async function hold(page: Page, method: string, path: string): Promise<Held> {
  const { promise: arrived, resolve } = Promise.withResolvers<Route>()
  let isHeld = false
  await page.route(
    ({ pathname }) => pathname === path,
    (route) => {
      if (isHeld || route.request().method() !== method) return route.continue()
      isHeld = true
      resolve(route)
    },
  )
  return {
    arrived,
    goOn: async () => (await arrived).continue(),
    answer: async (status, json) => (await arrived).fulfill({ status, json }),
  }
}

/** A start takes several requests: that none begins takes time to see. */
async function expectNothingBegins(page: Page): Promise<void> {
  const began = banner(page).waitFor({ timeout: 1500 })
  expect(await began.then(() => 'somebody is acted as', String)).to.contain('Timeout')
}

/** Every title that the page has from now on: who is acted as is in it. */
async function titlesOf(page: Page): Promise<() => Promise<string>> {
  const titles = await page.evaluateHandle(() => {
    const seen: string[] = []
    const title = document.querySelector('title') ?? document.head
    new MutationObserver(() => seen.push(document.title)).observe(title, { childList: true })
    return seen
  })
  return () => titles.evaluate((seen) => seen.join('\n'))
}

async function end(page: Page): Promise<void> {
  await banner(page).getByRole('button', { name: 'End' }).click()
  await message(page).getByText('You no longer act as').waitFor()
}

async function saveNote(page: Page, note: string): Promise<void> {
  const beans = page.locator('#orders article', { hasText: 'Coffee beans' })
  await beans.getByLabel('Delivery note').fill(note)
  await beans.getByRole('button', { name: 'Save the note' }).click()
}

/** Bob is acted as, and there is nothing to say. */
async function expectUntroubled(page: Page): Promise<void> {
  // Until the page has had the time to take in an answer of before.
  await page.evaluate(async () => {
    for (let turn = 0; turn < 3; turn += 1) await fetch('/console').then((it) => it.text())
  })
  expect(await message(page).textContent()).to.equal('')
  expect(await banner(page).isVisible()).to.equal(true)
  expect(await banner(page).textContent()).to.contain('Bob Meyer')
  expect(await page.locator('#orders [data-slot=id]').allTextContents()).to.deep.equal(['B-2001'])
}

/** Where it leads, once the page has made of it what it wants. */
function back(page: Page): Promise<string> {
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const tell = () => setTimeout(() => resolve(location.hash), 50)
        addEventListener('popstate', tell, { once: true })
        history.back()
      }),
  )
}
