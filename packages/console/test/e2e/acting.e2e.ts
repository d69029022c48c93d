import { deepEqual, equal, ok } from 'node:assert/strict'
import type { Page, Route } from 'playwright-core'
import { renewed } from '../../../../test/support/shared.ts'
import { deploy } from '../support/deployment.ts'
import { idsOf } from '../support/expect-answer.ts'
import { deployWithPermits } from '../support/with-permits.ts'
import { expectFocus, tabTo } from './support/focus.ts'
import { type MovedClock, movedClock } from './support/moved-clock.ts'
import { actIn, heading, over, pressAct, reads, signedIn, strip } from './support/operating.ts'
import { expectGoodLooks } from './support/pictures.ts'

const LINK = '/console/act?user=alice&ticket=SUP-1&reason=An%20order'

/** Time passes at the server and in the browser alike. */
async function pass(page: Page, clock: MovedClock, milliseconds: number) {
  clock.by(milliseconds)
  await page.clock.fastForward(milliseconds)
}

describe('acting as a customer, in the browser', function () {
  // Axe looks at each view four times.
  this.timeout(120_000)
  const deployment = renewed(() =>
    deploy({ console: { ticket: { pattern: /SUP-\d+/, example: 'SUP-77' } } }),
  )

  const running = async () => (await deployment.read('olivia', '')).running

  it('begins in a tab of its own by one press, is seen in the strip, and ends there', async () => {
    await using visit = await signedIn(deployment, 'olivia', LINK)
    const { page, context } = visit
    await page.getByLabel('Look and change').check()
    await page.getByLabel('10 minutes').check()
    const shop = await pressAct(page)
    await actIn(shop, 'olivia', 'alice')
    await shop.getByRole('button', { name: 'Change the note' }).click()
    await shop.getByText('POST /note 200').waitFor()
    equal(new URL(shop.url()).hash, '', 'the subject token is in the address')
    equal(await shop.evaluate(() => opener), null)
    await page.bringToFront()
    await strip(page).getByText(reads("You're acting as Alice Ng")).waitFor()
    await strip(page).getByText('SUP-1').waitFor()
    // The form is as it was: it could be pressed again.
    equal(await page.getByLabel('Look and change').isChecked(), true)
    const again = page.getByRole('button', { name: reads('End that and act as Alice Ng') })
    await page.getByText(reads("You're acting as Alice Ng in Shop.")).waitFor()
    await heading(page, 'Act as Alice Ng').hover()
    await again.waitFor()
    const [first] = await running()
    const opened = context.waitForEvent('page')
    await again.click()
    await actIn(await opened, 'olivia', 'alice')
    const [second, ...others] = await running()
    deepEqual([second.id === first.id, others.length], [false, 0])
    // The end of the first one would end nothing.
    await page.locator(`[action$="/running/${second.id}/end"]`).waitFor()
    await strip(page)
      .getByRole('button', { name: reads("End: you're acting as Alice Ng") })
      .click()
    await page.getByText('It is ended.').waitFor()
    await strip(page).waitFor({ state: 'hidden' })
    deepEqual(await running(), [])
  })

  it('needs no mouse: a key starts, and a double click starts once', async () => {
    await using visit = await signedIn(deployment, 'olivia', '/console/act?user=alice')
    const { page, context } = visit
    await tabTo(page.getByLabel('Ticket number'))
    await page.keyboard.type('SUP-5')
    await page.keyboard.press('Tab')
    await page.keyboard.type('By keyboard alone')
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowRight')
    equal(await page.getByLabel('Look and change').isChecked(), true)
    const opened = context.waitForEvent('page')
    await page.keyboard.press('Control+Enter')
    await page.keyboard.press('Control+Enter')
    const shop = await opened
    await actIn(shop, 'olivia', 'alice')
    equal(context.pages().length, 2)
    await page.bringToFront()
    await tabTo(strip(page).getByRole('button', { name: /^End/ }), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByText('It is ended.').waitFor()
    await page.goto(LINK)
    const next = context.waitForEvent('page')
    await page.getByRole('button', { name: reads('Act as Alice Ng') }).dblclick()
    await actIn(await next, 'olivia', 'alice')
    equal((await running()).length, 1)
    equal(context.pages().length, 3)
  })

  it('starts though the page changes while the button is pressed', async () => {
    await using visit = await signedIn(deployment, 'olivia', LINK)
    const { page, context } = visit
    await page.getByRole('button', { name: reads('Act as Alice Ng') }).hover()
    const fetched = page.waitForResponse((response) => response.url().endsWith(LINK))
    await page.mouse.down()
    await deployment.impersonate({ customer: 'bob' })
    await (await fetched).finished()
    const opened = context.waitForEvent('page')
    await page.mouse.up()
    await actIn(await opened, 'olivia', 'alice')
    await page.bringToFront()
    await strip(page).getByText(reads("You're acting as Alice Ng")).waitFor()
  })

  it('keeps what was chosen while the rule was asked for the choice before', async () => {
    await using visit = await signedIn(deployment, 'olivia', LINK)
    const { page } = visit
    const held = Promise.withResolvers<Route>()
    await page.route(/access=change(?!.*duration=600)/, held.resolve, { times: 1 })
    await page.getByLabel('Look and change').check()
    const first = await held.promise
    await page.getByLabel('10 minutes').check()
    await first.continue()
    await page.waitForURL(/duration=600/)
    equal(await page.getByLabel('10 minutes').isChecked(), true)
  })

  it('is foreseen while a person types, who loses nothing; a decision is seen at once', async () => {
    await using other = await deployWithPermits(({ scope = '' }) =>
      scope.includes('orders:write') ? { needs: ['second_person'] } : true,
    )
    await using visit = await signedIn(other, 'olivia', '/console/act?user=alice')
    const { page } = visit
    const act = page.getByRole('button', { name: reads('Act as Alice Ng') })
    const ask = page.getByRole('button', { name: 'Ask for approval' })
    await page.getByLabel('Ticket number').fill('SUP-1')
    await page.getByLabel('Look and change').check()
    await ask.waitFor()
    equal(await act.count(), 0)
    await page.getByLabel('Look only').check()
    await act.waitFor()
    await page.getByLabel('Look and change').check()
    await ask.waitFor()
    await page.getByLabel('Reason').fill('Half a sentence')
    await other.impersonate({ customer: 'bob', access: 'read' })
    await strip(page).getByText(reads("You're acting as Bob Marsh")).waitFor()
    await page.getByText(reads('One customer at a time.')).waitFor()
    equal(await page.getByLabel('Reason').inputValue(), 'Half a sentence')
    equal(await page.getByLabel('Ticket number').inputValue(), 'SUP-1')
    await expectFocus(page.getByLabel('Reason'))
    const request = await other.request({ ticket: 'SUP-1' })
    await page.getByText('You have asked for this already.').waitFor()
    await other.permits.decide(request, 'granted', { by: 'grace' })
    await page.getByRole('button', { name: reads('End that and act as Alice Ng') }).waitFor()
    equal(await page.getByLabel('Reason').inputValue(), 'Half a sentence')
  })

  it('looks good: accessible, and nothing is cut', async () => {
    await deployment.impersonate({ customer: 'bob', access: 'read' })
    await using visit = await signedIn(deployment, 'olivia', LINK)
    const { page } = visit
    await expectGoodLooks(page, 'act')
  })

  it('goes on at one minute by one press, with the same ticket', async () => {
    using clock = movedClock()
    const before = await deployment.impersonate({ ticket: 'SUP-123', duration: 120 })
    const clocked = { clock: new Date() }
    await using visit = await signedIn(deployment, 'olivia', '/console', clocked)
    const { page, context } = visit
    const go = strip(page).getByRole('button', { name: reads('Continue for SUP-123, as Alice Ng') })
    await strip(page).getByText('SUP-123').waitFor()
    equal(await go.count(), 0, 'it is offered before the last minute')
    await pass(page, clock, 65_000)
    await go.waitFor()
    await page
      .getByRole('status')
      .getByText(/One minute left/)
      .waitFor({ state: 'attached' })
    const opened = context.waitForEvent('page')
    await go.click()
    await actIn(await opened, 'olivia', 'alice')
    await page.bringToFront()
    await heading(page, 'Customers').hover()
    await go.waitFor({ state: 'hidden' })
    const [after, ...others] = await running()
    deepEqual([others.length, after.id === before.id, after.ticket], [0, false, 'SUP-123'])
    // Its time is over, and the way on is quiet.
    await pass(page, clock, 125_000)
    await strip(page).waitFor({ state: 'hidden' })
    await over(page).getByText(reads('You acted as Alice Ng')).waitFor()
  })

  it('goes on after a reload: opening the address does nothing, and Enter on its button does', async () => {
    const before = await deployment.impersonate({ ticket: 'SUP-5' })
    const path = `/console/continue/${before.id}`
    await using visit = await signedIn(deployment, 'olivia', path)
    const { page, context } = visit
    await page.getByText(reads('You acted as Alice Ng')).waitFor()
    await expectFocus(
      page.getByRole('main').getByRole('button', { name: reads('Continue for SUP-5') }),
    )
    const ids = async () => idsOf(await running())
    deepEqual(await ids(), [before.id])
    const opened = context.waitForEvent('page')
    await page.keyboard.press('Enter')
    await actIn(await opened, 'olivia', 'alice')
    const after = await ids()
    deepEqual([after.length, after.includes(before.id)], [1, false])
    await page.bringToFront()
    await page.getByText(reads('You acted as Alice Ng')).waitFor({ state: 'detached' })
  })

  it('goes from looking to changing in one press, while the first tab is open', async () => {
    await using visit = await signedIn(deployment, 'olivia', LINK)
    const { page, context } = visit
    await actIn(await pressAct(page), 'olivia', 'alice')
    await page.bringToFront()
    await strip(page).getByText('Look only').waitFor()
    const opened = context.waitForEvent('page')
    await strip(page)
      .getByRole('button', { name: reads('Continue with changes, as Alice Ng') })
      .click()
    const second = await opened
    await actIn(second, 'olivia', 'alice')
    await second.getByRole('button', { name: 'Change the note' }).click()
    await second.getByText('POST /note 200').waitFor()
    await page.bringToFront()
    await heading(page, 'Act as Alice Ng').hover()
    await strip(page).getByText('Look and change').waitFor()
    equal(await strip(page).getByText('Continue with changes').count(), 0)
    const [after, ...others] = await running()
    deepEqual([others.length, `${after.ticket} ${after.reason}`], [0, 'SUP-1 An order'])
    ok(after.canChange)
  })
})
