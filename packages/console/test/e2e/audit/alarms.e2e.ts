import { expect } from 'chai'
import type { Locator, Page, Response } from 'playwright-core'
import type { RowAnswer } from '../../../src/web/answers.ts'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { impersonation, saying } from '../support/audit-page.ts'
import { type Past, storePast } from '../support/audit-rows.ts'
import { enter } from '../support/enter.ts'
import { heading, visitDeployment } from '../support/operating.ts'

/** The link to the alarms, with how many are open. */
const badge = (page: Page, count: number): Locator =>
  page.getByRole('navigation').getByText(`${count} alarm${count === 1 ? '' : 's'} to look at now`)
const notice = (page: Page): Locator => page.locator('.toast')
const alarms = (page: Page): Locator => page.getByRole('list', { name: 'Alarms' })
const acknowledge = (page: Page): Locator =>
  page.getByRole('main').getByRole('button', { name: /^Acknowledge/ })

describe('alarms', () => {
  let deployment: Deployment

  beforeEach(async () => {
    deployment = await deploy()
  })
  afterEach(() => deployment[Symbol.asyncDispose]())

  it('are seen by a lead on any page, and acknowledged while an auditor watches', async () => {
    await using grace = await visitDeployment(deployment)
    await using ada = await visitDeployment(deployment)
    await enter(grace.page, 'grace', '/console/customers')
    await enter(ada.page, 'ada', '/console/alarms')
    await ada.page.getByText('Nothing to look at now.').waitFor()
    const running = await deployment.impersonate()
    await running.replay()
    await deployment.settled()

    // The page of the auditor stays as it is, and says that there is something new.
    await ada.page.getByText('1 new alarm', { exact: true }).waitFor()
    expect(await alarms(ada.page).getByRole('listitem').count()).to.equal(0)
    await ada.page.getByRole('button', { name: 'Show', exact: true }).click()
    await alarms(ada.page).getByRole('heading', { name: 'A token was used again' }).waitFor()
    expect(await ada.page.getByRole('button', { name: /^Acknowledge/ }).count()).to.equal(0)

    await badge(grace.page, 1).waitFor()
    await notice(grace.page)
      .getByText(/A token was used again.*: .*Olivia Okafor.* as .*Alice Ng/)
      .waitFor()
    expect(await notice(grace.page).getAttribute('role')).to.equal('status')
    await notice(grace.page).getByRole('link', { name: 'Look at it' }).click()
    await impersonation(grace.page, 'Olivia Okafor as Alice Ng').waitFor()
    await grace.page.getByRole('button', { name: 'Acknowledge', exact: true }).click()
    const dialog = grace.page.getByRole('dialog')
    await dialog.getByLabel('Note (not required)').fill('Spoke\nto Olivia.')
    await dialog.getByRole('button', { name: 'Acknowledge' }).click()
    await grace.page.getByText('The alarm is acknowledged.').waitFor()
    await grace.page.getByText('Grace Lindqvist acknowledged the alarm.').waitFor()
    await badge(grace.page, 1).waitFor({ state: 'detached' })

    await alarms(ada.page).getByText('Acknowledged', { exact: true }).waitFor()
    await badge(ada.page, 1).waitFor({ state: 'detached' })
    await alarms(ada.page).getByRole('link', { name: 'Look at it' }).click()
    await ada.page.getByText('Spoke to Olivia.').first().waitFor()
    await ada.page
      .getByText(/Grace Lindqvist.*, /)
      .first()
      .waitFor()

    // Another one on the same impersonation opens it again.
    await running.replay()
    await deployment.settled()
    await badge(grace.page, 1).waitFor()
  }).timeout(60_000)

  it('say in plain words what happened, with the note of the customer', async () => {
    const at = Date.now() - 3_600_000
    const past: Past[] = [
      { at, ticket: 'T-1', end: 'user', objection: 'I never called.\nWho was this?' },
      { at: at + 60_000, ticket: 'T-2', customer: 'bob', refused: ['/email'] },
    ]
    await storePast(deployment.audit, past)
    const running = await deployment.impersonate({ ticket: 'T-3' })
    await running.replay()
    await deployment.settled()
    await using grace = await visitDeployment(deployment)
    const { page } = grace
    await enter(page, 'grace', '/console/alarms')
    await heading(page, 'Alarms').waitFor()
    await badge(page, 2).waitFor()
    // What a customer objects to comes first.
    expect(await alarms(page).getByRole('heading').allTextContents()).to.deep.equal([
      'The customer says: I did not ask for this',
      'A token was used again',
    ])
    await alarms(page).getByText('I never called.').waitFor()
    await alarms(page)
      .getByRole('button', { name: saying('Acknowledge: Olivia Okafor as Alice Ng') })
      .last()
      .click()
    await page.getByRole('dialog').getByLabel('Note (not required)').fill('That was me.')
    await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click()
    await page.getByText('The alarm is acknowledged.').waitFor()
    await badge(page, 1).waitFor()
    // It stays in its place until the reader asks for the list again.
    expect(await page.locator('.alarms').getByRole('heading').count()).to.equal(2)
    await page.reload()
    await badge(page, 1).waitFor()
    await alarms(page).getByText('I never called.').waitFor()
    expect(await page.locator('.alarms').getByRole('heading').count()).to.equal(1)
    const { body } = await deployment.ask('ada', '/audit?alarm=any')
    const notes = body.rows.map((row: RowAnswer) => row.acknowledged?.note)
    expect(notes.filter((note: unknown) => note === 'That was me.')).to.have.length(1)
  })

  it('are not raised by ordinary work, and by three different acts that are closed to support', async () => {
    await using grace = await visitDeployment(deployment)
    const { page } = grace
    await enter(page, 'grace', '/console/alarms')
    // Some look, some change, one tries what is closed, and each ends it or goes on.
    for (const ticket of ['W-1', 'W-2', 'W-3']) {
      const running = await deployment.impersonate({ ticket })
      for (let requests = 0; requests < 5; requests += 1) await running.look()
      await running.change()
      expect(await running.refused()).to.equal(403)
      await running.refused()
      await running.end()
      // A tab that is still open.
      await running.look()
    }
    await deployment.settled()
    await page.getByText('Nothing to look at now.').waitFor()
    const red = page.locator('.badge.alarm, .card.alarm, .count, .toast .message')
    expect(await red.count()).to.equal(0)

    const probing = await deployment.impersonate({ ticket: 'W-4' })
    for (const path of ['/email', '/password', '/phone']) await probing.refused(path)
    await deployment.settled()
    await badge(page, 1).waitFor()
    await notice(page).getByText('Acts were refused').waitFor()
  }).timeout(60_000)

  it('are counted without those that are acknowledged and stay in place', async () => {
    await using grace = await visitDeployment(deployment)
    const { page } = grace
    for (const ticket of ['W-1', 'W-2']) {
      await (await deployment.impersonate({ ticket })).replay()
    }
    await deployment.settled()
    await enter(page, 'grace', '/console/alarms')
    await page.getByText('2 alarms', { exact: true }).waitFor()
    await acknowledge(page).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click()
    await page.getByText('1 alarm', { exact: true }).waitFor()
    expect(await alarms(page).getByRole('listitem').count()).to.equal(2)
  })

  it('are told in a toast that goes after a minute in which it is seen, and with its link', async () => {
    await using grace = await visitDeployment(deployment, { clock: new Date() })
    const { page } = grace
    await enter(page, 'grace', '/console/customers')
    const running = await deployment.impersonate()
    await running.replay()
    await deployment.settled()
    const told = notice(page).getByText('A token was used again')
    await told.waitFor()
    await page.clock.fastForward(59_000)
    expect(await told.count()).to.equal(1)
    await page.clock.fastForward(2000)
    await told.waitFor({ state: 'detached' })
    await badge(page, 1).waitFor()
    await running.replay()
    await deployment.settled()
    await told.waitFor()
    await notice(page).getByRole('link').click()
    await told.waitFor({ state: 'detached' })
  })

  it('are told in one tab of a browser only, the one that is seen', async () => {
    await using grace = await visitDeployment(deployment)
    const first = grace.page
    await enter(first, 'grace', '/console/audit')
    const second = await grace.context.newPage()
    await second.goto('/console/alarms')
    await second.getByText('Nothing to look at now.').waitFor()
    const pages = [first, second]
    const heard = pages.map((page) => page.waitForResponse(isAnswerWithAlarm))
    const running = await deployment.impersonate()
    await running.replay()
    await deployment.settled()
    await Promise.all(heard)
    await Promise.all(pages.map((page) => badge(page, 1).waitFor()))
    // Each has decided by then whether it tells.
    await Promise.all(pages.map((page) => page.evaluate(waitForLocks)))
    expect((await counts(pages)).toSorted()).to.deep.equal([0, 1])
    const [teller] = (await counts(pages)).flatMap((count, index) =>
      count === 1 ? pages.slice(index, index + 1) : [],
    )
    await teller?.getByRole('button', { name: 'Dismiss' }).click()
    expect(await counts(pages)).to.deep.equal([0, 0])
  })

  it('are acknowledged as far as they were seen: what comes meanwhile stays open', async () => {
    for (const isInList of [true, false]) {
      const running = await deployment.impersonate()
      await running.replay()
      await deployment.settled()
      await using grace = await visitDeployment(deployment)
      const { page } = grace
      await enter(page, 'grace', isInList ? '/console/alarms' : `/console/audit/${running.id}`)
      await acknowledge(page).first().click()
      if (!isInList) {
        // While the dialog is open, the page does not hear of the next one.
        await page.route('**/api/audit/**', (route) =>
          route.request().method() === 'GET' ? route.abort() : route.continue(),
        )
        grace.expectFailure(/\/api\/audit\//)
      }
      await running.replay()
      await deployment.settled()
      await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click()
      await page.getByText('The alarm is acknowledged.').waitFor()
      const { body } = await deployment.ask('grace', `/audit/${running.id}`)
      expect(body.alarm.count, String(isInList)).to.equal(2)
      expect(body.acknowledged).to.include({ alarms: 1 })
      await deployment.ask('grace', `/audit/${running.id}/acknowledge`, { alarms: 2 })
    }
  })
})

const counts = (pages: readonly Page[]): Promise<number[]> =>
  Promise.all(pages.map((page) => notice(page).getByRole('paragraph').count()))

async function isAnswerWithAlarm(response: Response): Promise<boolean> {
  if (!response.url().endsWith('/api/alarms')) return false
  return (await response.json()).alarms.length === 1
}

/** The requests of the page for locks are answered in their order, and then drawn. */
async function waitForLocks(): Promise<void> {
  for (let rounds = 0; rounds < 3; rounds += 1) {
    await navigator.locks.request('of the test', () => {})
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  }
}
