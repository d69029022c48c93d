import { equal, ok } from 'node:assert/strict'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { enter } from '../support/enter.ts'
import { expectFocus, tabTo } from '../support/focus.ts'
import { actIn, goTo, heading, reads, strip, visitDeployment } from '../support/operating.ts'
import { expectGoodLooks } from '../support/pictures.ts'
import { NARROW, WIDE } from '../support/visit.ts'

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

  it('the search: accessible, and nothing is cut', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page)
    await expectGoodLooks(page, 'operators-front')
    await page.getByRole('searchbox').fill('hostile')
    await page.getByText(reads('customers fit')).waitFor()
    await expectGoodLooks(page, 'operators-found-hostile')
    await page.getByRole('searchbox').fill('oslo')
    await page.getByText(reads('customers fit “oslo”')).waitFor()
    await expectGoodLooks(page, 'operators-found')
    await page.getByRole('searchbox').fill('zzz')
    await page.getByText(reads('No customer fits')).waitFor()
    await expectGoodLooks(page, 'operators-found-none')
  })

  it('a customer, and the form: accessible, and nothing is cut', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page)
    const running = await deployment.impersonate({ operator: 'oscar', ticket: 'SUP-9' })
    await running.look()
    await running.change()
    await running.refused()
    await running.end()
    await deployment.impersonate({ operator: 'oscar', ticket: 'SUP-10', access: 'read' })
    await deployment.impersonate({ ticket: 'SUP-11', duration: 120 })
    await deployment.settled()
    await goTo(page, '/console/customers/alice')
    const row = page.getByRole('row', { name: /SUP-9/ })
    await row.waitFor()
    await expectGoodLooks(page, 'operators-customer')
    await page.setViewportSize(NARROW)
    const done = row.getByRole('cell', { name: '1 read, 1 change, 1 refused' })
    const box = await done.boundingBox()
    ok(box && box.height < 50, 'on a telephone, it is a text of two lines at most')
    await page.setViewportSize(WIDE)
    await goTo(page, '/console/customers/paula')
    await heading(page, 'Paula Protected').waitFor()
    await expectGoodLooks(page, 'operators-protected')
    await goTo(page, '/console/customers/hostile-long')
    await page.getByText('long@hostile.example').waitFor()
    await expectGoodLooks(page, 'operators-customer-long')

    await goTo(page, '/console/act?user=alice&ticket=12')
    await page.getByLabel('Reason').fill('Two orders')
    await page.keyboard.press('Control+Enter')
    await page.getByText('This is not what').waitFor()
    await expectGoodLooks(page, 'operators-form')
    visit.expectFailure('/console/api/customers/mallory', 404)
    await goTo(page, '/console/act?user=mallory')
    await heading(page, 'There is no such customer').waitFor()
    await expectGoodLooks(page, 'operators-unknown')
    await goTo(page, '/console')
    await page.getByRole('heading', { name: 'Recently opened' }).waitFor()
    await page.getByRole('rowheader', { name: 'Alice Ng' }).waitFor()
    await expectGoodLooks(page, 'operators-recents')
  })

  it('what runs, for each role: accessible, and nothing is cut', async () => {
    await using olivia = await visitDeployment(deployment, { clock: new Date() })
    await using grace = await visitDeployment(deployment)
    await using ada = await visitDeployment(deployment, { locale: 'de-DE' })
    await deployment.impersonate({ ticket: 'SUP-1', duration: 120 })
    await deployment.impersonate({ customer: 'hostile-long', ticket: 'SUP-2', access: 'read' })
    await deployment.impersonate({ customer: 'hostile-backwards', ticket: 'SUP-3' })
    await deployment.impersonate({ operator: 'oscar', customer: 'bob', ticket: 'SUP-4' })
    await enter(olivia.page)
    await strip(olivia.page).getByText('SUP-3').waitFor()
    await olivia.page.clock.fastForward(65_000)
    await strip(olivia.page)
      .getByRole('button', { name: /^Continue for/ })
      .waitFor()
    await expectGoodLooks(olivia.page, 'running-operator')

    await enter(grace.page, 'grace')
    await goTo(grace.page, '/console/running')
    await grace.page.getByText(reads('4 are running')).waitFor()
    await expectGoodLooks(grace.page, 'running-lead')
    await grace.page.getByRole('button', { name: reads('End all of Olivia Okafor') }).click()
    await grace.page.getByRole('dialog').waitFor()
    await expectGoodLooks(grace.page, 'running-end-all')

    await ada.page.goto('/console/running')
    await ada.page.getByLabel('Login').fill('ada')
    await ada.page.keyboard.press('Enter')
    await heading(ada.page, 'Läuft gerade').waitFor()
    await ada.page.getByText(reads('4 Vorgänge laufen')).waitFor()
    await expectGoodLooks(ada.page, 'running-auditor-german')
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
