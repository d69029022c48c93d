import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { renewed } from '../../../../../test/support/shared.ts'
import { deployWithPermits, RULE } from '../../support/with-permits.ts'
import { actIn, heading, reads, signedIn } from '../support/operating.ts'
import { expectGoodLooks } from '../support/pictures.ts'

const LEADS = [
  { id: 'grace', name: 'Grace Lindqvist' },
  { id: 'lena', name: 'Lena Lund' },
]

describe('permits', function () {
  this.timeout(120_000)
  const deployment = renewed(() => deployWithPermits(RULE, { permits: { approvers: () => LEADS } }))

  const act = { name: reads('Act as Alice Ng'), exact: true } as const
  const counter = (page: Page) => page.getByRole('navigation').getByText('1 thing waits for you')
  const notice = (page: Page) => page.locator('#news').filter({ hasText: 'Alice' })

  it('an operator asks, a lead approves by keyboard in another browser, the operator acts by one click, and the lead takes it back', async () => {
    await using grace = await signedIn(deployment, 'grace', '/console/audit')
    const form = '/console/act?user=alice&ticket=SUP-123&reason=Help'
    await using olivia = await signedIn(deployment, 'olivia', form)
    await olivia.page.getByLabel('Look and change').check()
    await olivia.page.getByText(reads('Grace Lindqvist and Lena Lund can decide.')).waitFor()
    await olivia.page.getByRole('button', { name: 'Ask for approval' }).click()
    await heading(olivia.page, 'Olivia Okafor as Alice Ng').waitFor()
    await olivia.page.goto('/console/customers')

    await counter(grace.page).waitFor()
    await grace.page
      .getByRole('navigation')
      .getByRole('link', { name: /^Inbox/ })
      .click()
    const card = grace.page
      .getByRole('list', { name: 'Inbox' })
      .getByRole('article', { name: reads('Olivia Okafor as Alice Ng') })
    await card.getByText('Help').waitFor()
    await card.getByText('SUP-123').waitFor()
    await card.getByText('· Look and change').waitFor()
    await card.getByText('1 hour').waitFor()
    await expectGoodLooks(grace.page, 'permits-to-decide')
    // The typed note stays while another request comes.
    await card.locator('summary', { hasText: 'Approve' }).focus()
    await grace.page.keyboard.press('Enter')
    await grace.page.keyboard.press('Tab')
    await grace.page.keyboard.type('Saw the ticket')
    await deployment.request({ customer: 'carla', ticket: 'SUP-9' })
    await grace.page.getByRole('listitem').filter({ hasText: 'SUP-9' }).waitFor()
    await expectGoodLooks(grace.page, 'permits-deciding')
    await grace.page.keyboard.press('Control+Enter')
    await grace.page.getByText('Approved.').waitFor()
    await counter(grace.page).waitFor()

    await notice(olivia.page).getByText(reads('You may act as Alice Ng until')).waitFor()
    const opened = olivia.context.waitForEvent('page')
    await notice(olivia.page).getByRole('button', act).click()
    const tab = await opened
    await actIn(tab, 'olivia', 'alice')
    await olivia.page.mouse.move(0, 0)

    await grace.page.getByRole('link', { name: 'See what is in force' }).click()
    const row = grace.page.getByRole('list', { name: 'Requests' }).getByRole('listitem')
    await row.getByText(reads('Grace Lindqvist approved it')).waitFor()
    await expectGoodLooks(grace.page, 'record-row')
    await row.getByRole('link', { name: /^Open/ }).click()
    await heading(grace.page, 'Olivia Okafor as Alice Ng').waitFor()
    await grace.page.getByText('Saw the ticket').waitFor()
    await grace.page.getByRole('table').getByText('SUP-123').waitFor()
    await expectGoodLooks(grace.page, 'permits-page')
    await grace.page.locator('summary', { hasText: 'Take back' }).click()
    await grace.page.getByLabel('Note (optional)').fill('Call them first')
    await grace.page.getByRole('button', { name: 'Take back' }).click()
    await grace.page.getByText(reads('Grace Lindqvist took it back')).waitFor()
    const ended = 'You no longer act as Alice Ng: Grace Lindqvist ended it. Call them first'
    await olivia.page.getByText(reads(ended)).waitFor()
    const { items } = await deployment.provider.impersonation.list({ state: 'active' })
    expect(items).to.deep.equal([])
    await tab.close()
  })

  it('a customer allows and takes back a request, and answers for all of them', async () => {
    await deployment.request({ customer: 'bob' })
    await using bob = await signedIn(deployment, 'bob', '/account')
    const { page } = bob
    const asked = page.getByRole('region', { name: 'Requests and answers' })
    await asked.getByRole('heading', { name: reads('Olivia Okafor asks to act as you') }).waitFor()
    expect(await page.getByText('The address is wrong').count(), 'the reason').to.equal(0)
    await expectGoodLooks(page, 'permits-account')
    await asked.getByRole('button', { name: /^Allow/ }).click()
    await asked.getByText(reads('Olivia Okafor may act as you')).waitFor()
    const running = await deployment.impersonate({ customer: 'bob' })
    await asked.getByRole('button', { name: /^Take it back/ }).click()
    await page.getByText('You took it back.').waitFor()
    expect(await deployment.stateOf(running.id)).to.equal('ended')

    const standing = page.getByRole('region', { name: 'Support may act in your account' })
    await standing.getByText('Support asks you where its rules say so.').waitFor()
    expect(await standing.getByRole('radio', { checked: true }).count()).to.equal(0)
    await standing.getByLabel('Yes, support may help without asking').check()
    expect(
      (await deployment.permits.answer('bob')).choice,
      'a choice is saved by a button',
    ).to.equal('rule')
    await standing.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Support may act in your account until you say otherwise.').waitFor()
    const other = await deployment.impersonate({ customer: 'bob' })
    await standing.getByLabel('No, ask me each time').check()
    await standing.getByRole('button', { name: 'Save' }).click()
    await page.getByText('support asks you each time').waitFor()
    expect(await deployment.stateOf(other.id)).to.equal('ended')
  })
})
