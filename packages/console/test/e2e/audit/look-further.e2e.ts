import { expect } from 'chai'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { rowLinks, waitForAll } from '../support/audit-page.ts'
import { type Past, storePast } from '../support/audit-rows.ts'
import { enter } from '../support/enter.ts'
import { expectNothingCut } from '../support/fit.ts'
import { expectFocus } from '../support/focus.ts'
import { visitDeployment } from '../support/operating.ts'
import { NARROW } from '../support/visit.ts'

describe('a search that has looked at thousands of rows', () => {
  let deployment: Deployment

  before(async () => {
    deployment = await deploy()
    // Oscar acted as Alice before Olivia did so 5,100 times.
    const past: Past[] = Array.from({ length: 5102 }, (_, index) => ({
      at: Date.now() - (5102 - index) * 60_000,
      ...(index < 2 ? { operator: 'oscar' } : {}),
    }))
    await storePast(deployment.audit, past)
  })
  after(() => deployment[Symbol.asyncDispose]())

  it('says from which time on it has looked, and looks further back by a button', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'ada', '/console/audit?customer=alice&operator=oscar')
    await page.getByText('Nothing has matched the filter so far.').waitFor()
    await page.getByText(/^Everything since .+ has been searched\.$/).waitFor()
    await page.getByRole('button', { name: 'Look further back' }).focus()
    await page.keyboard.press('Enter')
    await waitForAll(page, 2)
    await expectFocus(rowLinks(page).first())
    expect(await page.getByRole('button', { name: 'Look further back' }).count()).to.equal(0)
    expect(await page.getByText('has been searched').count()).to.equal(0)
  })

  it('says so in German, on a narrow window', async () => {
    await using visit = await visitDeployment(deployment, { locale: 'de-DE', viewport: NARROW })
    const { page } = visit
    await enter(page, 'ada', '/console/audit?customer=alice&operator=nobody')
    await page.getByText('Bisher passt nichts zum Filter.').waitFor()
    await page.getByText(/^Alles seit .+ ist durchsucht\.$/).waitFor()
    await expectNothingCut(page)
    await page.getByRole('button', { name: 'Weiter zurück suchen' }).click()
    await page.getByText('Nichts passt zum Filter.').waitFor()
  })
})
