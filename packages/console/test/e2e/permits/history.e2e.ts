import { expect } from 'chai'
import { renewed } from '../../../../../test/support/shared.ts'
import { deployWithPermits } from '../../support/with-permits.ts'
import { heading, signedIn } from '../support/operating.ts'
import { expectGoodLooks } from '../support/pictures.ts'

describe('the history of approvals', function () {
  this.timeout(120_000)
  const deployment = renewed(async () => {
    const deployed = await deployWithPermits()
    const { permits, request } = deployed
    const refused = await request({ ticket: 'SUP-1' })
    await permits.decide(refused, 'declined', { by: 'grace', note: 'Call them first' })
    await deployed.emergency({ ticket: 'SUP-2' })
    const granted = await request({ customer: 'carla', ticket: 'SUP-3' })
    await permits.decide(granted, 'granted', { by: 'grace', note: 'Saw it' })
    return deployed
  })

  it('is one click from what is open, and good to look at, also in German', async () => {
    for (const [locale, name] of [
      ['en-GB', 'Requests'],
      ['de-DE', 'Anfragen'],
    ] as const) {
      await using ada = await signedIn(deployment, 'ada', '/console/audit', { locale })
      const { page } = ada
      await page.getByRole('link', { name, exact: true }).click()
      await heading(page, name).waitFor()
      await page.getByRole('list', { name }).locator('summary').first().click()
      await page.getByRole('list', { name }).getByText('Saw it').waitFor()
      await expectGoodLooks(page, `history-${locale}`)
    }
  })

  it('is searched while it is typed, and is saved as a file', async () => {
    await using grace = await signedIn(deployment, 'grace', '/console/records')
    const { page } = grace
    const cards = page.getByRole('list', { name: 'Requests' }).locator('> li')
    await cards.nth(2).waitFor()
    const search = page.getByLabel('Search')
    await search.focus()
    await page.keyboard.type('saw')
    await cards.nth(1).waitFor({ state: 'detached' })
    await cards.locator('summary').getByText('SUP-3').waitFor()
    expect(await search.evaluate((input) => input === document.activeElement)).to.equal(true)
    const downloaded = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export as CSV' }).click()
    expect((await downloaded).suggestedFilename()).to.equal('records.csv')
    await page.getByRole('link', { name: 'Clear all' }).click()
    await cards.nth(2).waitFor()
  })
})
