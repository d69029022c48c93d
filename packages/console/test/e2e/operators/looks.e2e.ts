import { equal } from 'node:assert/strict'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { enter } from '../support/enter.ts'
import { expectFocus, tabTo } from '../support/focus.ts'
import { actIn, heading, reads, strip, visitDeployment } from '../support/operating.ts'
import { expectGoodLooks } from '../support/pictures.ts'

describe('how the pages of operators and "Running now" look, and how they are used', function () {
  // Axe looks at each view four times.
  this.timeout(120_000)
  let deployment: Deployment

  beforeEach(async () => {
    deployment = await deploy({
      console: { ticket: { pattern: /SUP-\d+/ } },
    })
  })
  afterEach(() => deployment[Symbol.asyncDispose]())

  it('the form: accessible, and nothing is cut', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'olivia', '/console/act?user=alice&ticket=12')
    await page.getByLabel('Reason').fill('Two orders')
    await page.keyboard.press('Control+Enter')
    await page.getByText('This is not what').waitFor()
    await expectGoodLooks(page, 'operators-form')
  })

  it('an operator needs no mouse', async () => {
    await using visit = await visitDeployment(deployment)
    const { page, context } = visit
    await enter(page)
    await expectFocus(page.getByRole('searchbox'))
    await page.keyboard.type('alice')
    await page.keyboard.press('Enter')
    await expectFocus(page.getByRole('link', { name: 'Alice Ng', exact: true }))
    await tabTo(page.getByRole('link', { name: reads('Act as Alice Ng') }))
    await page.keyboard.press('Enter')
    await expectFocus(heading(page, 'Act as Alice Ng'))
    await tabTo(page.getByLabel('Ticket number'))
    await page.keyboard.type('SUP-5')
    await page.keyboard.press('Tab')
    await page.keyboard.type('By keyboard alone')
    await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowRight')
    equal(await page.getByLabel('Look and change').isChecked(), true)
    const opened = context.waitForEvent('page')
    await page.keyboard.press('Control+Enter')
    const shop = await opened
    await actIn(shop, 'olivia', 'alice')
    await page.bringToFront()
    await strip(page).waitFor()
    await expectFocus(heading(page, 'Alice Ng'))
    await tabTo(strip(page).getByRole('button', { name: /^End/ }), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByText(reads('You no longer act as Alice Ng.')).waitFor()
    await page.keyboard.press('Escape')
    await heading(page, 'Customers').waitFor()
    equal(await page.getByRole('searchbox').inputValue(), 'alice', 'the search is lost')
  })
})
