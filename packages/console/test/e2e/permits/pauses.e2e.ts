import { equal } from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { deploy } from '../../support/deployment.ts'
import { deployWithPermits } from '../../support/with-permits.ts'
import { heading, reads, signedIn } from '../support/operating.ts'
import { expectGoodLooks } from '../support/pictures.ts'

const OBJECTED =
  'Alice Ng said that they did not ask for what you did. You cannot act as Alice Ng until another person has looked into it.'

/** Says *I did not ask for this* of what runs. */
async function object(page: Page) {
  await page.locator('summary').click()
  const note = page.getByRole('textbox')
  await note.fill('I know of no ticket')
  await page.getByRole('button', { name: 'Tell them' }).click()
}

async function lift(page: Page) {
  const card = page.getByRole('article', { name: reads('Olivia Okafor as Alice Ng') })
  await card.getByText('I know of no ticket').waitFor()
  await card.locator('summary').click()
  await card.getByLabel('Note').fill('Talked to both')
  await card.getByRole('button', { name: 'Lift the stop' }).click()
  await page.getByText('The stop is lifted.').waitFor()
}

describe('a stop by a lead', function () {
  this.timeout(120_000)

  it('ends what runs, keeps the operator from starting with a sentence and a name, and is lifted', async () => {
    await using deployment = await deploy()
    const { id } = await deployment.impersonate({ access: 'read', ticket: 'SUP-7' })
    await using olivia = await signedIn(
      deployment,
      'olivia',
      '/console/act?user=bob&ticket=SUP-1&reason=Again',
    )
    await heading(olivia.page, 'Act as Bob Marsh').waitFor()
    await using grace = await signedIn(deployment, 'grace')
    const { page } = grace
    await page.locator('summary', { hasText: reads('Stop Olivia Okafor') }).click()
    const form = page.locator('details[open]')
    await form.getByText('This ends what').waitFor()
    await expectGoodLooks(page, 'running-stop')
    await form.getByLabel('Note').fill('Asked twice')
    await form.getByRole('button', { name: reads('Stop Olivia Okafor') }).click()
    await page.getByText('Stopped: what ran has ended').waitFor()
    equal(await deployment.stateOf(id), 'ended')

    const STOPPED =
      'Grace Lindqvist stopped you. You cannot act as a customer until another person lifts the stop.'
    await olivia.page.getByText(reads(STOPPED)).first().waitFor()
    equal(await olivia.page.getByLabel('Ticket number').count(), 0, 'the form is there')
    await olivia.page.goto('/console')
    await olivia.page.getByRole('main').getByText(reads(STOPPED)).first().waitFor()
    await expectGoodLooks(olivia.page, 'customers-stopped')
    equal(await olivia.page.getByText('Asked twice').count(), 0)

    await page.getByRole('link', { name: 'See what is in force' }).click()
    await page.locator('summary', { hasText: 'Lift the stop' }).click()
    await page.getByLabel('Note', { exact: true }).fill('Talked')
    await page.getByRole('button', { name: 'Lift the stop' }).click()
    await page.getByText('The stop is lifted.').waitFor()
    await olivia.page.goto('/console/act?user=bob&ticket=SUP-1&reason=Again')
    await olivia.page.getByLabel('Ticket number').waitFor()
  })
})

describe('an objection', function () {
  this.timeout(120_000)

  it('tells the customer what happens now and takes that support asks each time, tells the operator, and a lead lifts it', async () => {
    await using deployment = await deployWithPermits(() => true)
    await deployment.impersonate({ access: 'read' })
    await using olivia = await signedIn(
      deployment,
      'olivia',
      '/console/act?user=alice&ticket=SUP-1&reason=Again',
    )
    await heading(olivia.page, 'Act as Alice Ng').waitFor()
    await olivia.page.getByRole('button', { name: reads('End that and act as') }).waitFor()

    await using alice = await signedIn(deployment, 'alice', '/account')
    const { page } = alice
    await object(page)
    await page
      .getByText(
        'This person cannot act as you until another person of the team has looked into it. What they ran for you has ended.',
      )
      .waitFor()
    const card = page.getByRole('article').filter({ hasText: 'cannot act as you' })
    await card.getByRole('heading', { name: reads('Olivia Okafor cannot act as you') }).waitFor()
    await expectGoodLooks(page, 'account-stopped')
    await page.getByRole('radio', { name: 'No, ask me each time' }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('From now on, support asks you each time.').waitFor()
    const asksEachTime = page.getByRole('radio', { name: 'No, ask me each time', checked: true })
    // Sooner than the page looks by itself.
    await asksEachTime.waitFor({ timeout: 5000 })

    await olivia.page
      .getByText(reads('Alice Ng, the customer, says: I did not ask for this.'))
      .waitFor()
    await olivia.page.getByText(reads(OBJECTED)).waitFor()
    await expectGoodLooks(olivia.page, 'act-stopped')
    await olivia.page.goto('/console/customers/alice')
    await olivia.page.getByText(reads(OBJECTED)).waitFor()
    await olivia.page.getByRole('link', { name: 'See the stop' }).click()
    await heading(olivia.page, 'Olivia Okafor as Alice Ng').waitFor()
    await olivia.page.getByText(reads('Alice Ng says: I did not ask for this')).waitFor()

    await using grace = await signedIn(deployment, 'grace')
    await heading(grace.page, 'Inbox').waitFor()
    await grace.page.getByRole('list', { name: 'Inbox' }).waitFor()
    await expectGoodLooks(grace.page, 'inbox-objection')
    await lift(grace.page)
    await grace.page.getByRole('list', { name: 'Inbox' }).waitFor({ state: 'detached' })

    await olivia.page.getByText(reads('Grace Lindqvist lifted it')).waitFor()
    await olivia.page.goto('/console/customers/alice')
    await olivia.page.getByRole('link', { name: reads('Act as Alice Ng') }).waitFor()
    await card.waitFor({ state: 'detached' })
    await page.getByText('Another person looked into it on').waitFor()
  })
})
