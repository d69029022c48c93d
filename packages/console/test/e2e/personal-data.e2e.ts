import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { renewed } from '../../../../test/support/shared.ts'
import { over, recordPast } from '../features/personal-data/person.ts'
import { idOf } from '../ledger/stores/contract/support.ts'
import { deploy } from '../support/deployment.ts'
import { enter } from './support/enter.ts'
import { heading, reads, visitDeployment } from './support/operating.ts'
import { expectGoodLooks } from './support/pictures.ts'

describe('the page of personal data', function () {
  this.timeout(120_000)
  const deployment = renewed(() =>
    deploy({ console: { mayErase: ({ accountId }) => ['ada', 'grace'].includes(accountId) } }),
  )

  async function openAlice(page: Page, who: string) {
    await enter(page, who, '/console/personal-data')
    await heading(page, 'Personal data').waitFor()
    await page.getByLabel('Name, e-mail address or account id').fill('alice')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Alice Ng' }).first().click()
    await heading(page, 'Alice Ng').waitFor()
  }

  it('lets one person ask, and another one erase', async () => {
    await recordPast(deployment.audit, ...over('a', 'alice'))

    await using first = await visitDeployment(deployment)
    await openAlice(first.page, 'grace')
    await expectGoodLooks(first.page, 'personal-data')
    await first.page.getByLabel('Why').fill('DPO-12')
    await first.page.keyboard.press('Tab')
    await first.page.keyboard.press('Enter')
    await first.page.getByText(reads('You asked for it.')).waitFor()

    await using second = await visitDeployment(deployment)
    await openAlice(second.page, 'ada')
    await second.page.locator('summary', { hasText: 'Erase' }).click()
    await expectGoodLooks(second.page, 'personal-data-confirm')
    await second.page.getByRole('button', { name: 'Erase', exact: true }).click()
    await second.page.getByText('Erased: 1 record.').waitFor()
    await second.page.getByText('The audit has nothing of this person as a customer.').waitFor()
    expect(await deployment.audit.row(idOf('a'))).to.equal(undefined)
  })
})
