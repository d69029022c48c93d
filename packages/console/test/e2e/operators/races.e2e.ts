import { equal } from 'node:assert/strict'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { enter } from '../support/enter.ts'
import { asks, hold } from '../support/holding.ts'
import { heading, reads, strip, visitDeployment } from '../support/operating.ts'

describe('what comes late, or twice, to an operator', () => {
  let deployment: Deployment

  before(async () => {
    deployment = await deploy()
  })
  after(() => deployment[Symbol.asyncDispose]())

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
