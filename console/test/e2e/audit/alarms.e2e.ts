import { expect } from 'chai'
import type { Locator, Page, Response } from 'playwright-core'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { impersonation, saying } from '../support/audit-page.ts'
import { type Past, storePast } from '../support/audit-rows.ts'
import { enter } from '../support/enter.ts'
import { heading, visitDeployment } from '../support/operating.ts'

/** The link to the alarms, with how many are open. */
const badge = (page: Page, count: number): Locator =>
  page.getByRole('navigation').getByText(`${count} open alarm${count === 1 ? '' : 's'}`)
const notice = (page: Page): Locator => page.locator('.alarm-notice')
const alarms = (page: Page): Locator => page.getByRole('list', { name: 'Open alarms' })

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
    await ada.page.getByText('There is no open alarm.').waitFor()
    const running = await deployment.impersonate()
    await running.refused()
    await deployment.settled()

    // The page of the auditor stays as it is, and says that there is something new.
    await ada.page.getByText('1 new alarm', { exact: true }).waitFor()
    expect(await alarms(ada.page).getByRole('listitem').count()).to.equal(0)
    await ada.page.getByRole('button', { name: 'Show', exact: true }).click()
    await alarms(ada.page).getByRole('heading', { name: 'An act was refused' }).waitFor()
    expect(await ada.page.getByRole('button', { name: /^Acknowledge/ }).count()).to.equal(0)

    await badge(grace.page, 1).waitFor()
    await notice(grace.page)
      .getByText(/An act was refused.*: .*Olivia Okafor.* as .*Alice Ng/)
      .waitFor()
    expect(await notice(grace.page).getAttribute('role')).to.equal('status')
    await notice(grace.page).getByRole('link', { name: 'Look at it' }).click()
    await impersonation(grace.page, 'Olivia Okafor as Alice Ng').waitFor()
    await grace.page.getByRole('button', { name: 'Acknowledge', exact: true }).click()
    const dialog = grace.page.getByRole('dialog')
    await dialog.getByLabel('Note (not required)').fill('Spoke to Olivia.')
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
    await running.refused()
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
    await badge(page, 3).waitFor()
    expect(await alarms(page).getByRole('heading').allTextContents()).to.deep.equal([
      'A token was used again',
      'An act was refused',
      'The customer ended it. The customer says: I did not ask for this',
    ])
    await alarms(page).getByText('I never called.').waitFor()
    const second = page.getByRole('button', {
      name: saying('Acknowledge the alarm: Olivia Okafor as Bob Marsh'),
    })
    await second.click()
    await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click()
    await badge(page, 2).waitFor()
    // It stays in its place until the reader asks for the list again.
    expect(await alarms(page).getByRole('heading').count()).to.equal(3)
    await page.reload()
    await badge(page, 2).waitFor()
    await alarms(page).getByText('T-3').waitFor()
    expect(await alarms(page).getByRole('heading').count()).to.equal(2)
  })

  it('are told in one tab of a browser only, the one that is seen', async () => {
    await using grace = await visitDeployment(deployment)
    const first = grace.page
    await enter(first, 'grace', '/console/audit')
    const second = await grace.context.newPage()
    await second.goto('/console/alarms')
    await second.getByText('There is no open alarm.').waitFor()
    const pages = [first, second]
    const heard = pages.map((page) => page.waitForResponse(isAnswerWithAlarm))
    const running = await deployment.impersonate()
    await running.refused()
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
      await running.refused()
      await deployment.settled()
      await using grace = await visitDeployment(deployment)
      const { page } = grace
      await enter(page, 'grace', isInList ? '/console/alarms' : `/console/audit/${running.id}`)
      await page
        .getByRole('main')
        .getByRole('button', { name: /^Acknowledge/ })
        .first()
        .click()
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
      expect(body.isAlarmOpen, String(isInList)).to.equal(true)
      expect(body.acknowledged.alarms).to.equal(1)
      await deployment.ask('grace', `/audit/${running.id}/acknowledge`, {})
    }
  })
})

const counts = (pages: readonly Page[]): Promise<number[]> =>
  Promise.all(pages.map((page) => notice(page).getByRole('paragraph').count()))

async function isAnswerWithAlarm(response: Response): Promise<boolean> {
  if (!response.url().endsWith('/api/alarms')) return false
  return (await response.json()).rows.length === 1
}

/** The requests of the page for locks are answered in their order, and then drawn. */
async function waitForLocks(): Promise<void> {
  for (let rounds = 0; rounds < 3; rounds += 1) {
    await navigator.locks.request('of the test', () => {})
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
  }
}
