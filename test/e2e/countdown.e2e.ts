import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { act, banner, expectForgotten, message } from './support/acting.ts'
import { type SharedExample, sharedExample } from './support/server.ts'
import { type Visit, visit } from './support/visit.ts'

const MINUTE = 60_000

describe('the countdown', () => {
  let example: SharedExample

  before(async () => {
    example = await sharedExample()
  })

  /** Acts as Alice; from now on, time passes only where the test says so. */
  async function acting(minutes: 2 | 10 = 10): Promise<Visit> {
    const person = await visit(example.url, { clock: new Date() })
    await act(person.page, { minutes })
    await person.page.clock.pauseAt((await now(person.page)) + 1000)
    return person
  }

  it('runs down second by second, is said aloud at one minute and at ten seconds, and ends it', async () => {
    await using person = await acting()
    const { page } = person
    const said = page.getByRole('status').and(page.locator('#countdown-said'))
    const before = await left(page)
    expect(before).to.be.within(580, 600)
    await page.clock.runFor(1000)
    expect(await left(page)).to.equal(before - 1)
    await page.clock.runFor(4 * MINUTE)
    expect(await left(page)).to.equal(before - 241)

    await page.clock.runFor(((await left(page)) - 62) * 1000)
    expect(await said.textContent()).to.equal('')
    await page.clock.runFor(2000)
    expect(await said.textContent()).to.equal('60 seconds left to act as Alice Ng')
    await page.clock.runFor(48_000)
    expect(await said.textContent()).to.equal('60 seconds left to act as Alice Ng')
    await page.clock.runFor(2000)
    expect(await said.textContent()).to.equal('10 seconds left to act as Alice Ng')

    await page.clock.runFor(9000)
    expect(await banner(page).isVisible()).to.equal(true)
    await page.clock.runFor(1000)
    await expectTimeOver(page)
    expect(await page.title()).not.to.contain('Alice')
    expect(await said.textContent()).to.equal('')
    await expectForgotten(person)
  })

  for (const [what, hours] of [
    ['slow', -3],
    ['fast', 3],
  ] as const) {
    it(`begins at the time that was asked for where the clock of the machine is ${what}`, async () => {
      await using person = await visit(example.url, {
        clock: new Date(Date.now() + hours * 60 * MINUTE),
      })
      // The proof is of another time: the provider answers a nonce, and takes the next one.
      person.expectFailure('/oidc/token', 400)
      await act(person.page, { minutes: 10 })
      await person.page.getByRole('button', { name: 'Ask again' }).click()
      await person.page.locator('#orders article').first().waitFor()
      expect(await left(person.page)).to.be.within(560, 600)
    })
  }

  it('ends it where the customer is looked into, which leads to the customers', async () => {
    await using person = await acting()
    const { page } = person
    await page.getByRole('link', { name: 'Look inside' }).click()
    await page.clock.runFor(((await left(page)) + 1) * 1000)
    await expectTimeOver(page)
    expect(page.url()).to.equal(`${example.url}/console#customers`)
    await expectForgotten(person)
  })

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

  it('cannot be prolonged by putting the clock back: the time that the operator asked for runs on', async () => {
    await using person = await acting(2)
    const { page } = person
    const before = await left(page)
    expect(before).to.be.within(100, 120)
    await page.clock.setSystemTime((await now(page)) - 60 * MINUTE)
    await page.clock.runFor(MINUTE)
    expect(await left(page)).to.equal(before - 60)
    await page.clock.runFor(MINUTE)
    await expectTimeOver(page)
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
