import { equal } from 'node:assert/strict'
import { renewed } from '../../../../test/support/shared.ts'
import { deploy } from '../support/deployment.ts'
import { expectFocus } from './support/focus.ts'
import { heading, reads, signedIn, strip } from './support/operating.ts'

describe('what runs now', () => {
  const deployment = renewed(() => deploy())

  it('two operators, a lead and an auditor at once: each sees what is theirs to see, live', async () => {
    await using olivia = await signedIn(deployment)
    await using oscar = await signedIn(deployment, 'oscar', '/console/customers')
    await using grace = await signedIn(deployment, 'grace')
    await using ada = await signedIn(deployment, 'ada')
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
    equal(await deployment.stateOf(first.id), 'ended')
    const ended = Date.now()
    await ada.page.getByRole('row', { name: /SUP-1/ }).waitFor({ state: 'detached' })
    equal(Date.now() - ended < 2000, true, 'the end is seen too late')
    await ada.page.getByText('1 impersonation is running').waitFor()

    await grace.page.locator('summary', { hasText: reads('Stop Oscar Öhman') }).click()
    await grace.page.getByRole('button', { name: reads('Stop Oscar Öhman') }).click()
    await grace.page.getByText('Stopped: what ran has ended').waitFor()
    await strip(oscar.page).waitFor({ state: 'hidden' })
    equal((await deployment.read('oscar', '')).running.length, 0)
  })

  it('no row moves under the pointer, and a form that is open stays', async () => {
    const first = await deployment.impersonate({ ticket: 'SUP-1' })
    await deployment.impersonate({ ticket: 'SUP-2' })
    await using visit = await signedIn(deployment, 'grace')
    const { page } = visit
    await page.getByText(reads('2 impersonations are running')).waitFor()
    const rows = page.locator('tbody tr:not(.group-head)')
    await page.locator('summary', { hasText: reads('Stop Olivia Okafor') }).click()
    await page.getByLabel('Note').fill('Half a sen')
    await rows.last().getByRole('button').hover()
    await first.end()
    await page.waitForTimeout(1500)
    equal(await rows.count(), 2, 'the rows below have moved')
    await heading(page, 'Inbox').hover()
    await page.getByText(reads('1 impersonation is running')).waitFor()
    equal(await page.getByLabel('Note').inputValue(), 'Half a sen')
  })

  it('an outage of the storage is said, and the list stays', async () => {
    await deployment.impersonate()
    await using visit = await signedIn(deployment, 'grace')
    const { page } = visit
    await page.getByRole('rowheader', { name: 'Alice Ng' }).waitFor()
    visit.expectFailure(/\/console(?:\/stream)?$/)
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
})
