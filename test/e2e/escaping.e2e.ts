import { expect } from 'chai'
import type { Page } from 'playwright-core'
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
import { signIn } from './support/sign-in.ts'
import { NARROW, visit } from './support/visit.ts'

/** Also the name of a customer, mallory. A dialog, or a request for `/x`, is objected to anyway. */
const MARKUP = '<img src=x onerror=alert(1)>'
/** Out of an attribute, and out of whatever text there may be. */
const BREAKOUT = `"'></title></script><script>alert(1)</script>${MARKUP}`
const RIGHT_TO_LEFT = '\u202e'

/** Ticket and reason. */
const TEXTS: readonly (readonly [ticket: string, reason: string])[] = [
  // A very long word, characters that stack up, and wide signs.
  ['W'.repeat(100), 'W'.repeat(500)],
  [`Z${'\u0300'.repeat(99)}`, `Z${'\u0300'.repeat(499)}`],
  ['﷽'.repeat(100), '﷽'.repeat(500)],
  // Text from right to left.
  ['תקלה-321', 'החבילה אבדה בדואר'],
]

describe('what others have written', function () {
  this.timeout(60_000)
  let example: SharedExample

  before(async () => {
    example = await sharedExample()
  })

  it('is shown literally, in the console, in the audit, and to the customer whose account it is', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    await page.getByLabel('Search by name').fill(BREAKOUT)
    await expectLiterally(page, '#view-customers', `“${BREAKOUT}”`)
    await page.getByLabel('Search by name').fill(MARKUP)
    await expectLiterally(page, '#customers th', MARKUP)
    await sayWhy(page, { customer: MARKUP, ticket: BREAKOUT, reason: BREAKOUT })
    await expectLiterally(page, '#view-reason h1', MARKUP)
    await pressStart(page)

    await expectLiterally(page, '#banner', MARKUP)
    await expectLiterally(page, '#banner', BREAKOUT)
    await expectLiterally(page, '#view-act h1', MARKUP)
    expect(await page.title()).to.equal(`Acting as ${MARKUP} · Support console`)

    await page.getByRole('link', { name: 'Look inside' }).click()
    await expectLiterally(page, '#view-inside', MARKUP)
    await expectLiterally(page, '#claims', JSON.stringify(BREAKOUT))
    await expectLiterally(page, '#exchanges', JSON.stringify(BREAKOUT).replaceAll("'", `'\\''`))

    await page.getByRole('link', { name: 'Audit' }).click()
    await expectLiterally(page, '#audit-entries', `${BREAKOUT}: ${BREAKOUT}`)
    await page.getByText('JSON').first().click()
    await expectLiterally(page, '#audit-entries pre', JSON.stringify(BREAKOUT))
    await page.getByLabel('Text').fill(BREAKOUT.slice(0, 100))
    await expectLiterally(page, '#audit-entries', BREAKOUT)
    for (const field of ['Operator', 'Customer']) {
      await page.getByLabel(field, { exact: true }).fill(MARKUP)
      await page.getByText('Nothing matches').waitFor()
      await page.getByLabel(field, { exact: true }).fill('')
    }
    await expectLiterally(page, '#audit-entries', BREAKOUT)

    await page.getByRole('link', { name: 'Customers' }).click()
    await expectLiterally(page, '#view-customers .note', MARKUP)
    await banner(page).getByRole('button', { name: 'End' }).click()
    await message(page).getByText('You no longer act as').waitFor()
    await expectLiterally(page, '#message', MARKUP)

    await person.context.clearCookies()
    await page.goto('/account')
    await signIn(page, page.getByRole('button', { name: 'Sign in' }), 'mallory')
    await expectLiterally(page, '#entries', BREAKOUT)
  })

  it('is shown literally in a delivery note, and in the field to change it', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await act(page, { mayChange: true })
    const grinder = page.locator('#orders article', { hasText: 'Coffee grinder' })
    await grinder.getByLabel('Delivery note').fill(BREAKOUT)
    await grinder.getByRole('button', { name: 'Save the note' }).click()
    await expectLiterally(page, '#orders q', BREAKOUT)
    expect(await grinder.getByLabel('Delivery note').inputValue()).to.equal(BREAKOUT)
  })

  it('does not break the banner, nor turn what stands around it', async () => {
    await using person = await visit(example.url, { viewport: NARROW })
    const { page } = person
    await enterConsole(page)
    for (const [ticket, reason] of TEXTS) {
      await startActing(page, { ticket, reason })
      await expectBannerToHold(page)
      await banner(page).getByRole('button', { name: 'End' }).click()
      await message(page).getByText('You no longer act as Alice Ng').waitFor()
    }

    // Marks that would turn it are refused, and the form is kept.
    await sayWhy(page, { ticket: `${RIGHT_TO_LEFT}321-PUS` })
    person.expectFailure('/support/impersonations', 400)
    await pressStart(page)
    await message(page).getByText('ticketId must not contain').waitFor()
    expect(await banner(page).isVisible()).to.equal(false)
    expect(await page.getByLabel('Ticket number').inputValue()).to.include('321-PUS')
  })
})

/** Expects that the text is there as it was written, and that nothing was made of it. */
async function expectLiterally(page: Page, place: string, text: string): Promise<void> {
  await page.locator(place).filter({ hasText: text, visible: true }).first().waitFor()
  expect(await page.locator('img, main script, [onerror], iframe').count()).to.equal(0)
}

async function expectBannerToHold(page: Page): Promise<void> {
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight))
  const fits = await page.evaluate(
    () => document.documentElement.scrollWidth <= document.documentElement.clientWidth,
  )
  expect(fits, 'the page does not scroll sideways').to.equal(true)
  const end = await banner(page).getByRole('button', { name: 'End' }).boundingBox()
  const whole = await banner(page).boundingBox()
  expect(whole).to.include({ x: 0, y: 0, width: NARROW.width })
  expect(whole?.height).to.be.at.most(NARROW.height / 2)
  expect(end?.y).to.be.at.least(0)
  expect((end?.y ?? Number.NaN) + (end?.height ?? 0)).to.be.at.most(whole?.height ?? 0)
  expect(await banner(page).textContent()).to.include('You are acting as Alice Ng')

  // The time comes before the word, whatever the ticket does to the line.
  const [time = 0, word = 0] = await page.getByRole('timer').evaluate((timer) => {
    const range = document.createRange()
    range.selectNodeContents(timer.lastChild ?? timer)
    return [timer.children[0]?.getBoundingClientRect().left, range.getBoundingClientRect().left]
  })
  expect(time).to.be.below(word)
}
