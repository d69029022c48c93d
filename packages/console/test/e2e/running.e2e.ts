import { equal } from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { type Deployment, deploy } from '../support/deployment.ts'
import { enter } from './support/enter.ts'
import { expectFocus } from './support/focus.ts'
import { type MovedClock, movedClock } from './support/moved-clock.ts'
import {
  actIn,
  goTo,
  heading,
  over,
  pressAct,
  reads,
  strip,
  visitDeployment,
} from './support/operating.ts'

/** Time passes at the server and in the browser alike. */
async function pass(page: Page, clock: MovedClock, milliseconds: number): Promise<void> {
  clock.by(milliseconds)
  await page.clock.fastForward(milliseconds)
}

describe('what runs now', () => {
  let deployment: Deployment

  beforeEach(async () => {
    deployment = await deploy()
  })
  afterEach(() => deployment[Symbol.asyncDispose]())

  it('two operators, a lead and an auditor at once: each sees what is theirs to see, live', async () => {
    await using olivia = await visitDeployment(deployment)
    await using oscar = await visitDeployment(deployment)
    await using grace = await visitDeployment(deployment)
    await using ada = await visitDeployment(deployment)
    await enter(olivia.page)
    await enter(oscar.page, 'oscar', '/console/customers')
    await enter(grace.page, 'grace', '/console/running')
    await enter(ada.page, 'ada', '/console/running')
    await grace.page.getByText('No one is acting as a customer right now.').waitFor()

    // Started in another process: no page of theirs did it.
    const first = await deployment.impersonate({ ticket: 'SUP-1' })
    await deployment.impersonate({ operator: 'oscar', customer: 'bob', ticket: 'SUP-2' })
    await strip(olivia.page).getByText(reads("You're acting as Alice Ng")).waitFor()
    await strip(oscar.page).getByText(reads("You're acting as Bob Marsh")).waitFor()
    equal(await oscar.page.getByText('SUP-1').count(), 0, 'an operator sees what another runs')
    for (const { page } of [grace, ada]) {
      const rowsOf = (name: RegExp) => page.getByRole('rowgroup').filter({ hasText: name })
      await rowsOf(/Olivia Okafor/)
        .getByRole('row', { name: /Alice Ng.*SUP-1.*did not arrive/ })
        .waitFor()
      await rowsOf(/Oscar Öhman/)
        .getByRole('row', { name: /Bob Marsh.*SUP-2/ })
        .waitFor()
    }

    const end = reads('End: Olivia Okafor is acting as Alice Ng')
    await grace.page.getByRole('button', { name: end }).focus()
    await grace.page.keyboard.press('Enter')
    await expectFocus(grace.page.getByText('It is ended.'))
    equal((await deployment.provider.impersonation.get(first.id))?.state, 'ended')
    const ended = Date.now()
    await ada.page.getByRole('row', { name: /SUP-1/ }).waitFor({ state: 'detached' })
    equal(Date.now() - ended < 2000, true, 'the end is seen too late')
    await ada.page.getByText('1 is running').waitFor()

    const all = grace.page.locator('summary', { hasText: reads('End all of Oscar Öhman') })
    await all.click()
    await grace.page.getByRole('button', { name: 'End 1', exact: true }).click()
    await grace.page.getByText(reads('1 was ended.')).waitFor()
    await strip(oscar.page).waitFor({ state: 'hidden' })
    equal((await deployment.ask('oscar', '/running')).body.running.length, 0)
  })

  it('who else acts is said before starting, and follows', async () => {
    await using visit = await visitDeployment(deployment, { clock: new Date() })
    const { page } = visit
    await deployment.impersonate({ operator: 'oscar', ticket: 'SUP-31', access: 'read' })
    await enter(page, 'olivia', '/console/act?user=alice&ticket=SUP-1&reason=x')
    const other = page.getByText(reads('Oscar Öhman is acting as Alice Ng right now'), {
      exact: true,
    })
    await other.first().waitFor()
    await page.getByText('SUP-31').waitFor()
    await page.getByText('Look only').first().waitFor()
    await deployment.endRunning('oscar')
    await page.clock.fastForward(10_000)
    await other.first().waitFor({ state: 'detached' })
    equal(await page.getByLabel('Ticket number').inputValue(), 'SUP-1')
  })

  it('at one minute, one click continues with the same ticket', async () => {
    await using visit = await visitDeployment(deployment, { clock: new Date() })
    const { page, context } = visit
    using clock = movedClock()
    const before = await deployment.impersonate({
      ticket: 'SUP-123',
      reason: 'An order',
      duration: 120,
    })
    await enter(page)
    const go = strip(page).getByRole('button', { name: reads('Continue for SUP-123, as Alice Ng') })
    await strip(page).getByText('SUP-123').waitFor()
    equal(await go.count(), 0, 'it is offered before the last minute')
    const timer = strip(page).getByRole('timer')
    await pass(page, clock, 65_000)
    await go.waitFor()
    equal(await timer.getAttribute('class'), 'countdown', 'it is marked before the last 30 seconds')
    await page
      .getByRole('status')
      .getByText(/One minute left/)
      .waitFor({ state: 'attached' })
    const title = await page.title()
    equal(/^0:\d\d .*Alice Ng.* · Customers$/.test(title), true, title)

    const opened = context.waitForEvent('page')
    await go.click()
    await actIn(await opened, 'olivia', 'alice')
    await go.waitFor({ state: 'hidden' })
    const { running } = (await deployment.ask('olivia', '/running')).body
    const [after] = running
    equal(running.length, 1, 'the first one has ended')
    equal(after.id === before.id, false)
    equal(after.ticket, 'SUP-123')
    equal(after.reason, 'An order')
    equal(after.expiresAt - Date.now() > 90_000, true, 'it has not the whole time')

    // The first one is over, and is not offered again: the second one goes on.
    const listed = (count: number) =>
      page.waitForFunction(
        (many) => document.querySelectorAll('.my-running li').length === many,
        count,
      )
    await listed(1)
    await pass(page, clock, 63_000)
    await strip(page).getByRole('timer').waitFor()
    await listed(1)
    equal(await page.getByText('Time ran out').count(), 0)
  })

  it('the address of Continue starts and ends nothing by being opened; Enter on its button does', async () => {
    await using visit = await visitDeployment(deployment)
    const { page, context } = visit
    const before = await deployment.impersonate({ ticket: 'SUP-5' })
    await deployment.settled()
    await enter(page, 'olivia', `/console/continue/${before.id}`)
    await page.getByText(reads('You acted as Alice Ng')).waitFor()
    await expectFocus(
      page.getByRole('main').getByRole('button', { name: reads('Continue for SUP-5') }),
    )
    const ids = async () =>
      (await deployment.ask('olivia', '/running')).body.running.map(({ id }: { id: string }) => id)
    equal(String(await ids()), before.id)
    const opened = context.waitForEvent('page')
    await page.keyboard.press('Enter')
    await actIn(await opened, 'olivia', 'alice')
    const after = await ids()
    equal(after.length, 1)
    equal(after.includes(before.id), false)
  })

  it('after an end of the own, one click continues for ten minutes, also after a reload', async () => {
    await using visit = await visitDeployment(deployment, { clock: new Date() })
    const { page, context } = visit
    using clock = movedClock()
    await deployment.impersonate({ ticket: 'SUP-77' })
    const byLead = await deployment.impersonate({ customer: 'bob', ticket: 'SUP-78' })
    await enter(page)
    const end = strip(page).getByRole('button', { name: reads("End: you're acting as Alice Ng") })
    await end.click()
    await over(page).getByText(reads('You acted as Alice Ng')).waitFor()
    equal(await strip(page).getByText('SUP-77').count(), 0, 'the strip has what is over')
    await deployment.ask('grace', `/running/${byLead.id}/end`, {})
    await strip(page).getByText('SUP-78').waitFor({ state: 'detached' })
    await page.reload()
    const go = over(page).getByRole('button', { name: reads('Continue for SUP-77') })
    await go.waitFor()
    equal(await over(page).getByText('SUP-78').count(), 0, 'what a lead ended is offered')
    const opened = context.waitForEvent('page')
    await go.click()
    const application = await opened
    await actIn(application, 'olivia', 'alice')
    await strip(page).getByText(reads("You're acting as Alice Ng")).waitFor()
    await over(page).waitFor({ state: 'detached' })
    // The tab that is closed ends it, too.
    await application.close({ runBeforeUnload: true })
    await go.waitFor()
    await pass(page, clock, 10 * 60_000)
    await over(page).waitFor({ state: 'hidden' })
  })

  it('two that began in one second for one ticket are offered once', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    for (let times = 0; times < 2; times += 1) {
      const running = await deployment.impersonate({ ticket: 'SUP-77' })
      await deployment.ask('olivia', `/running/${running.id}/end`, {})
    }
    await enter(page)
    await over(page).getByText(reads('You acted as Alice Ng')).waitFor()
    equal(
      await over(page)
        .getByRole('button', { name: reads('Continue for SUP-77') })
        .count(),
      1,
    )
  })

  it('what was continued, and then ended by a lead, is not offered by its beginning', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    using clock = movedClock()
    const first = await deployment.impersonate({ ticket: 'SUP-79' })
    await deployment.ask('olivia', `/running/${first.id}/end`, {})
    await enter(page)
    const go = over(page).getByRole('button', { name: reads('Continue for SUP-79') })
    await go.waitFor()
    clock.by(2000)
    const second = await deployment.impersonate({ ticket: 'SUP-79' })
    await strip(page).getByText(reads("You're acting as Alice Ng")).waitFor()
    await deployment.ask('grace', `/running/${second.id}/end`, {})
    await page
      .getByText(reads('You no longer act as Alice Ng: Grace Lindqvist ended it.'))
      .waitFor()
    equal(await go.count(), 0)
    await deployment.settled()
    const begunBefore = page.waitForResponse(/\/api\/audit\?operator=olivia/)
    await page.reload()
    await (await begunBefore).finished()
    await page.evaluate(() => new Promise(requestAnimationFrame))
    equal(await go.count(), 0, 'after a reload')
  })

  it('from looking to changing in one click, while the first tab is open', async () => {
    await using visit = await visitDeployment(deployment)
    const { page, context } = visit
    await enter(page, 'olivia', '/console/act?user=alice&ticket=SUP-4&reason=Wrong%20address')
    await page.getByLabel('10 minutes').check()
    const first = await pressAct(page)
    await actIn(first, 'olivia', 'alice')
    await strip(page).getByText('Look only').waitFor()
    const opened = context.waitForEvent('page')
    await strip(page)
      .getByRole('button', { name: reads('Continue with changes, as Alice Ng') })
      .click()
    const second = await opened
    await actIn(second, 'olivia', 'alice')
    await strip(page).getByText('Look and change').waitFor()
    equal(await strip(page).getByText('Continue with changes').count(), 0)
    await second.getByRole('button', { name: 'Change the note' }).click()
    await second.getByText('POST /note 200').waitFor()
    const [after, ...others] = (await deployment.ask('olivia', '/running')).body.running
    equal(others.length, 0)
    equal(`${after.ticket} ${after.reason}`, 'SUP-4 Wrong address')

    await deployment.settled()
    await goTo(page, `/console/audit/${after.id}`)
    await page.getByRole('link', { name: 'an earlier one' }).click()
    await page.getByText('Rights: orders:read.').waitFor()
  })

  it('after expiry, a line of Customers offers to continue for ten minutes, also after a reload', async () => {
    await using visit = await visitDeployment(deployment, { clock: new Date() })
    const { page, context } = visit
    using clock = movedClock()
    await deployment.impersonate({ customer: 'bob', ticket: 'SUP-9', duration: 120 })
    await enter(page)
    await strip(page).getByText(reads("You're acting as Bob Marsh")).waitFor()
    await pass(page, clock, 125_000)
    await over(page).getByText(reads('You acted as Bob Marsh')).waitFor()
    equal(await strip(page).count(), 0, 'the strip is there')
    equal(await page.title(), 'Customers')
    await page.reload()
    await over(page).getByText(reads('You acted as Bob Marsh')).waitFor()
    const go = over(page).getByRole('button', { name: reads('Continue for SUP-9') })
    const opened = context.waitForEvent('page')
    await go.click()
    const application = await opened
    await actIn(application, 'olivia', 'bob')
    await strip(page).getByText(reads("You're acting as Bob Marsh")).waitFor()
    // Its clock does not move.
    await application.close()
    await deployment.endRunning('olivia')
    await strip(page).getByText(reads("You're acting as Bob Marsh")).waitFor({ state: 'hidden' })
    await pass(page, clock, 10 * 60_000)
    await over(page).waitFor({ state: 'hidden' })
  })

  it('what is over folds into one line, and is gone after ten minutes', async () => {
    await using visit = await visitDeployment(deployment, { clock: new Date() })
    const { page, context } = visit
    using clock = movedClock()
    await deployment.impersonate({ customer: 'bob', ticket: 'SUP-8', duration: 120 })
    await deployment.impersonate({ customer: 'alice', ticket: 'SUP-9', duration: 120 })
    await enter(page)
    const bars = strip(page).getByRole('listitem')
    await bars.nth(1).waitFor()
    await pass(page, clock, 125_000)
    await over(page).getByText('2 are over').waitFor()
    equal(await bars.count(), 0)
    const opened = context.waitForEvent('page')
    await over(page)
      .getByRole('button', { name: reads('Continue for SUP-9, as Alice Ng') })
      .click()
    await actIn(await opened, 'olivia', 'alice')
    await strip(page).getByText(reads("You're acting as Alice Ng")).waitFor()
    await over(page).getByText(reads('You acted as Bob Marsh')).waitFor()
    await (await opened).close()
    await deployment.endRunning('olivia')
    await over(page).getByText('2 are over').waitFor()
    await pass(page, clock, 10 * 60_000)
    await over(page).waitFor({ state: 'hidden' })
  })

  it('no row moves under the pointer, a form that is open stays, and a search narrows what is shown', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    const all = []
    for (let ticket = 1; ticket <= 12; ticket += 1) {
      all.push(await deployment.impersonate({ ticket: `SUP-${ticket}.`, customer: 'carla' }))
    }
    await enter(page, 'grace', '/console/running')
    await page.getByText(reads('12 are running')).waitFor()
    const rows = page.locator('tbody tr:not(.group-head)')
    await page.locator('summary', { hasText: reads('Pause Olivia Okafor') }).click()
    await page.getByLabel('Note').fill('Half a sen')
    await rows.last().getByRole('button').hover()
    await all[0]?.end()
    await deployment.settled()
    await page.waitForTimeout(1500)
    equal(await rows.count(), 12, 'the rows below have moved')
    await heading(page, 'Running now').hover()
    await page.getByText(reads('11 are running')).waitFor()
    equal(await page.getByLabel('Note').inputValue(), 'Half a sen')
    await page.getByLabel('Only those with').fill('carla sup-8.')
    await page.getByText('1 fits').waitFor()
    equal(await rows.count(), 1)
    equal(new URL(page.url()).search, '?q=carla+sup-8.')
  })

  it('an outage of the storage is said, and the list stays', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await deployment.impersonate()
    await enter(page, 'grace', '/console/running')
    await page.getByRole('rowheader', { name: 'Alice Ng' }).waitFor()
    visit.expectFailure(/\/console\/(?:running|stream)/)
    deployment.faults.storage = true
    const interrupted = page.getByText('what you see may be out of date')
    try {
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
      await interrupted.waitFor()
      await page.getByRole('rowheader', { name: 'Alice Ng' }).waitFor()
    } finally {
      deployment.faults.storage = false
    }
    await interrupted.waitFor({ state: 'hidden' })
  })

  it('what the customer ends is told to the operator', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    const running = await deployment.impersonate()
    await enter(page)
    await strip(page).waitFor()
    await deployment.provider.impersonation.end(running.id, { by: { sub: 'alice' }, cause: 'user' })
    await page.getByText(reads('You no longer act as Alice Ng: the customer ended it.')).waitFor()
    await strip(page).waitFor({ state: 'hidden' })
  })
})
