import { equal } from 'node:assert/strict'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { enter } from '../support/enter.ts'
import { asks, hold } from '../support/holding.ts'
import { goTo, heading, reads, strip, visitDeployment } from '../support/operating.ts'

describe('what comes late, or twice, to an operator', () => {
  let deployment: Deployment

  before(async () => {
    deployment = await deploy()
  })
  after(() => deployment[Symbol.asyncDispose]())

  it('a late answer of one search is not shown for another', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page)
    const search = page.getByRole('searchbox')
    const alice = await hold(page, 'GET', asks(/^\/customers\?q=alice/))
    await search.fill('alice')
    await alice.arrived
    await search.fill('bob')
    await page.getByRole('link', { name: reads('Bob Marsh', 'exact') }).waitFor()
    await alice.goOn()
    await page.getByText(reads('1 customer fits “bob”')).waitFor()
    equal(await page.getByText(reads('Alice Ng')).count(), 0)

    const carla = await hold(page, 'GET', asks(/^\/customers\?q=carla/))
    await search.fill('carla')
    await carla.arrived
    await search.fill('')
    await carla.goOn()
    await page.getByText('The customers whom you open are listed here.').waitFor()
    equal(await page.getByRole('table').count(), 0)
  })

  it('more customers follow the first ones, each of them once', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page)
    await page.getByRole('searchbox').fill('e')
    await page.getByText(reads('The first 25 customers for “e”')).waitFor()
    const more = page.getByRole('button', { name: 'Show more' })
    await more.click()
    await page.getByText(reads('The first 50 customers for “e”')).waitFor()
    await more.click()
    await page.getByText(/^\d+ customers fit/).waitFor()
    const ids = await page.locator('tbody tr').evaluateAll((rows) => rows.map(({ id }) => id))
    equal(ids.length > 50, true)
    equal(new Set(ids).size, ids.length)
    equal(await more.count(), 0)
  })

  it('a late answer about one customer is not shown for another', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page)
    const alice = await hold(page, 'GET', asks('/customers/alice'))
    await goTo(page, '/console/act?user=alice')
    await alice.arrived
    await goTo(page, '/console/act?user=bob')
    await heading(page, 'Act as Bob Marsh').waitFor()
    await page.getByLabel('Ticket number').fill('SUP-bob')
    await alice.goOn()
    await page.getByRole('button', { name: reads('Act as Bob Marsh') }).waitFor()
    equal(await page.getByText(reads('Alice Ng')).count(), 0)

    await goTo(page, '/console/act?user=alice')
    await heading(page, 'Act as Alice Ng').waitFor()
    equal(await page.getByLabel('Ticket number').inputValue(), '', 'the form is of Bob')
  })

  it('a double click, and Ctrl+Enter with it, issues once', async () => {
    await using visit = await visitDeployment(deployment)
    const { page, context } = visit
    await enter(page, 'olivia', '/console/act?user=alice&ticket=SUP-1&reason=Twice')
    const opened = context.waitForEvent('page')
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') asked.push(new URL(request.url()).pathname)
    })
    const held = await hold(page, 'POST', asks('/impersonations'))
    const act = page.getByRole('button', { name: reads('Act as Alice Ng') })
    await act.dblclick()
    await held.arrived
    await page.keyboard.press('Control+Enter')
    equal(await act.getAttribute('aria-busy'), 'true')
    await held.goOn()
    await (await opened).getByText('acting as alice', { exact: true }).waitFor()
    await strip(page).getByText(reads("You're acting as Alice Ng")).waitFor()
    equal(asked.filter((path) => path.endsWith('/impersonations')).length, 1)
    equal(context.pages().length, 2)
    await deployment.endRunning('olivia')
  })

  it('leaving the form while it starts starts nothing, and takes the operator nowhere', async () => {
    await using visit = await visitDeployment(deployment)
    const { page, context } = visit
    await enter(page, 'olivia', '/console/act?user=alice&ticket=SUP-2&reason=Left')
    const held = await hold(page, 'POST', asks('/impersonations'))
    const opened = context.waitForEvent('page')
    await page.getByRole('button', { name: reads('Act as Alice Ng') }).click()
    await held.arrived
    const tab = await opened
    const closed = tab.waitForEvent('close')
    await page.getByRole('link', { name: 'What I did' }).click()
    await closed
    await held.goOn()
    await heading(page, 'What I did').waitFor()
    equal(await strip(page).count(), 0)
    equal(new URL(page.url()).pathname, '/console/audit')
    equal(context.pages().length, 1)
  })
})
