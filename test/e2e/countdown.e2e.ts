import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { act, banner, expectForgotten, message } from './support/acting.ts'
import { type StartedExample, startExampleHere } from './support/server.ts'
import { type Visit, visit } from './support/visit.ts'

const MINUTE = 60_000

describe('the countdown', () => {
  let example: StartedExample

  beforeEach(async () => {
    example = await startExampleHere()
  })
  afterEach(() => example[Symbol.asyncDispose]())

  /** Acts as Alice, for ten minutes; from now on, time passes only where the test says so. */
  async function acting(minutes: 2 | 5 | 10 = 10): Promise<Visit> {
    const person = await visit(example.url, { clock: new Date() })
    await act(person.page, { minutes })
    await person.page.clock.pauseAt((await now(person.page)) + 1000)
    return person
  }

  it('runs down, second by second', async () => {
    await using person = await acting()
    const { page } = person
    const before = await left(page)
    expect(before).to.be.within(580, 600)
    await page.clock.runFor(1000)
    expect(await left(page)).to.equal(before - 1)
    await page.clock.runFor(4 * MINUTE)
    expect(await left(page)).to.equal(before - 241)
  })

  for (const minutes of [2, 5] as const) {
    it(`begins where the operator said: ${minutes} minutes`, async () => {
      await using person = await acting(minutes)
      expect(await left(person.page)).to.be.within(minutes * 60 - 20, minutes * 60)
    })
  }

  for (const [what, minutes] of [
    ['slow', -20],
    ['fast', 20],
  ] as const) {
    it(`begins all the same where the clock of the machine is ${what}`, async () => {
      await using person = await visit(example.url, {
        clock: new Date(Date.now() + minutes * MINUTE),
      })
      // The proof is of another time: the provider answers a nonce, and takes the next one.
      person.expectFailure('/oidc/token', 400)
      await act(person.page, { minutes: 10 })
      await person.page.getByRole('button', { name: 'Ask again' }).click()
      await person.page.locator('#orders article').first().waitFor()
      expect(await left(person.page)).to.be.within(560, 600)
    })
  }

  it('is said aloud at one minute and at ten seconds, and not every second', async () => {
    await using person = await acting()
    const { page } = person
    const said = page.getByRole('status').and(page.locator('#countdown-said'))
    expect(await said.textContent()).to.equal('')
    await page.clock.runFor(((await left(page)) - 62) * 1000)
    expect(await said.textContent()).to.equal('')
    await page.clock.runFor(2000)
    expect(await said.textContent()).to.equal('60 seconds left to act as Alice Ng')
    await page.clock.runFor(48_000)
    expect(await said.textContent()).to.equal('60 seconds left to act as Alice Ng')
    await page.clock.runFor(2000)
    expect(await said.textContent()).to.equal('10 seconds left to act as Alice Ng')
  })

  it('ends it by itself: the token, the orders and the banner are gone', async () => {
    await using person = await acting()
    const { page } = person
    await page.clock.runFor(((await left(page)) - 1) * 1000)
    expect(await banner(page).isVisible()).to.equal(true)
    await page.clock.runFor(1000)
    await expectTimeOver(page)
    expect(await page.title()).not.to.contain('Alice')
    expect(await page.locator('#countdown-said').textContent()).to.equal('')
    await expectForgotten(person)
  })

  for (const [link, view] of [
    ['Look inside', 'inside'],
    ['Audit', 'audit'],
    ['Customers', 'customers'],
  ] as const) {
    it(`ends it in whatever view: ${link}`, async () => {
      await using person = await acting()
      const { page } = person
      await page.getByRole('link', { name: link }).click()
      await page.clock.runFor(((await left(page)) + 1) * 1000)
      await expectTimeOver(page)
      const stays = view === 'inside' ? 'customers' : view
      expect(page.url()).to.equal(`${example.url}/console#${stays}`)
      await expectForgotten(person)
    })
  }

  it('ends it after a machine has slept: no tick is needed, being looked at is enough', async () => {
    await using person = await acting()
    const { page } = person
    // No timer runs, as in a page that is hidden.
    await page.clock.setSystemTime((await now(page)) + 20 * MINUTE)
    expect(await banner(page).isVisible()).to.equal(true)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await expectTimeOver(page)
    await expectForgotten(person)
  })

  it('ends it after a machine has slept: nothing is sent, even before the page has noticed', async () => {
    await using person = await acting()
    const { page, urls } = person
    await page.clock.setSystemTime((await now(page)) + 20 * MINUTE)
    const asked = urls.filter((url) => url.endsWith('/orders')).length
    await page.getByRole('button', { name: 'Ask again' }).click()
    await message(page).getByText('You no longer act as Alice Ng.').waitFor()
    expect(urls.filter((url) => url.endsWith('/orders'))).to.have.length(asked)
    await expectForgotten(person)
  })

  it('cannot be prolonged by putting the clock back: the banner runs on as if nothing had happened', async () => {
    await using person = await acting(2)
    const { page } = person
    const before = await left(page)
    await page.clock.setSystemTime((await now(page)) - 60 * MINUTE)
    await page.clock.runFor(MINUTE)
    expect(await left(page)).to.equal(before - 60)
    await page.clock.runFor(MINUTE)
    await expectTimeOver(page)
  })

  it('cannot be prolonged by putting the clock back: the API refuses, and then it is over', async () => {
    await using person = await acting(2)
    const { page } = person
    await page.clock.setSystemTime((await now(page)) - 60 * MINUTE)
    example.moveClock(3 * MINUTE)
    person.expectFailure('/orders', 401)
    await page.getByRole('button', { name: 'Ask again' }).click()
    await message(page).getByText('The Orders API said 401 invalid_token').waitFor()
    await expectForgotten(person)
  })
})

async function expectTimeOver(page: Page): Promise<void> {
  await message(page).getByText('You no longer act as Alice Ng.').waitFor()
  expect(await message(page).textContent()).to.equal(
    'You no longer act as Alice Ng. The time is over. The token is forgotten.',
  )
  expect(await banner(page).isVisible()).to.equal(false)
  expect(await page.locator('#orders article').count()).to.equal(0)
}

/** What the clock of the page shows. */
function now(page: Page): Promise<number> {
  return page.evaluate(() => Date.now())
}

/** Seconds, as the banner shows them. */
async function left(page: Page): Promise<number> {
  const text = await banner(page).getByRole('timer').textContent()
  const [, minutes, seconds] = /^(\d\d):(\d\d) left$/.exec(text ?? '') ?? []
  return Number(minutes) * 60 + Number(seconds)
}
