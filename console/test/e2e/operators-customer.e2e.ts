import { equal } from 'node:assert/strict'
import { type Deployment, deploy } from '../support/deployment.ts'
import { enter } from './support/enter.ts'
import { heading, reads, strip, visitDeployment } from './support/operating.ts'

describe('the page of a customer', () => {
  let deployment: Deployment

  before(async () => {
    const url = (ticket: string) => `https://tickets.example/${ticket}`
    deployment = await deploy({ console: { ticket: { pattern: /SUP-\d+/, url } } })
  })
  after(() => deployment[Symbol.asyncDispose]())

  it('follows what the operator runs, without a reload', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'olivia', '/console/customers/bob')
    await page.getByText(reads('No operator has acted as Bob Marsh so far.')).waitFor()
    const running = await deployment.impersonate({ customer: 'bob', ticket: 'SUP-7' })
    const row = page.getByRole('table', { name: 'So far' }).getByRole('row', { name: /SUP-7/ })
    await row.getByText('Running now', { exact: true }).waitFor()
    await running.look()
    await row.getByText('1 read', { exact: true }).waitFor()
    await running.end()
    await row.getByText('Ended by support', { exact: true }).waitFor()
    await page.getByText(reads('No operator acts as Bob Marsh right now.')).waitFor()
  })

  it('shows what another operator starts, which no event tells', async () => {
    await using visit = await visitDeployment(deployment, { clock: new Date() })
    const { page } = visit
    await enter(page, 'olivia', '/console/customers/carla')
    await heading(page, 'Carla Nunes').waitFor()
    await page.getByText(reads('No operator acts as Carla Nunes right now.')).waitFor()
    await deployment.impersonate({ operator: 'oscar', customer: 'carla', ticket: 'SUP-8' })
    await deployment.settled()
    await page.clock.fastForward(10_000)
    await page.getByText(reads('Oscar Öhman acts as Carla Nunes right now')).first().waitFor()
    const row = page.getByRole('table', { name: 'So far' }).getByRole('row', { name: /SUP-8/ })
    await row.getByText('Running now', { exact: true }).waitFor()
  })

  it('leads from a ticket to the ticket system, in a tab that cannot reach the console', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await deployment.impersonate({ ticket: 'SUP-9' })
    await enter(page, 'olivia', '/console/customers/alice')
    await strip(page).waitFor()
    await page.getByRole('table', { name: 'So far' }).waitFor()
    const links = page.getByRole('link', { name: 'SUP-9 (opens in a new tab)' })
    equal(await links.count(), 3, 'in the strip, in what runs, and in what was before')
    for (const link of await links.all()) {
      equal(await link.getAttribute('href'), 'https://tickets.example/SUP-9')
      equal(await link.getAttribute('target'), '_blank')
      equal(await link.getAttribute('rel'), 'noopener noreferrer')
    }
  })
})
