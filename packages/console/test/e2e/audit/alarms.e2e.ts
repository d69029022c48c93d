import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { renewed } from '../../../../../test/support/shared.ts'
import { deploy } from '../../support/deployment.ts'
import { heading, reads, signedIn } from '../support/operating.ts'
import { expectGoodLooks } from '../support/pictures.ts'

/** The link to the alarms, with how many are open. */
const badge = (page: Page, count: number) =>
  page
    .getByRole('navigation')
    .getByText(`${count} thing${count === 1 ? ' waits' : 's wait'} for you.`)
const alarms = (page: Page) => page.getByRole('list', { name: 'Inbox' })

describe('alarms', () => {
  const deployment = renewed(() => deploy())

  it('are seen by a lead on any page, and acknowledged while others come', async () => {
    await using grace = await signedIn(deployment, 'grace', '/console/rules')
    const running = await deployment.impersonate()
    await running.replay()
    await badge(grace.page, 1).waitFor()
    await grace.page.waitForFunction(() => document.title.startsWith('(1) Rules'))

    const { page } = grace
    await page.getByRole('link', { name: 'Inbox' }).click()
    await heading(page, 'Inbox').waitFor()
    await page.locator('summary', { hasText: 'Acknowledge' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Spoke to Olivia.')
    await expectGoodLooks(page, 'alarms')
    // Another alarm does not touch the note.
    const other = await deployment.impersonate({ customer: 'bob', ticket: 'SUP-9' })
    await other.replay()
    await badge(page, 2).waitFor()
    await alarms(page).getByText('SUP-9').waitFor()
    // Nor does a colleague who is faster.
    const colleague = { alarms: 1, note: 'I did' }
    await deployment.ask('grace', `/audit/${running.id}/acknowledge`, colleague)
    await badge(page, 1).waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByText('The alarm is acknowledged.').waitFor()
    const body = await deployment.read('ada', `/audit/${running.id}`)
    expect(body.acknowledged).to.include({ note: 'Spoke to Olivia.' })

    // Another one on the same impersonation opens it again.
    await running.replay()
    await alarms(page).getByText(reads('Olivia Okafor as Alice Ng')).waitFor()
  })
})
