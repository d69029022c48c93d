import { expect } from 'chai'
import { type Authorize, allOf } from 'oidc-provider-impersonation'
import { renewed } from '../../../../test/support/shared.ts'
import { deployWithPermits } from '../support/with-permits.ts'
import { expectFocus, tabTo } from './support/focus.ts'
import { heading, reads, signedIn } from './support/operating.ts'
import { expectGoodLooks } from './support/pictures.ts'

const changes: Authorize = ({ scope = '' }) =>
  scope.includes('orders:write') ? { needs: ['second_person'] } : { accessTokenTtl: 300 }
changes.description = 'A change needs the approval of a lead.'

describe('the page of the rules', function () {
  this.timeout(120_000)
  const deployment = renewed(() => deployWithPermits(allOf(changes, () => true)))

  it('answers a lead before anybody tries, by the keyboard alone', async () => {
    await using visit = await signedIn(deployment, 'grace')
    const { page } = visit
    await page.getByRole('link', { name: 'Settings' }).click()
    await heading(page, 'Rules').waitFor()
    const answer = page.getByRole('main').locator('.verdict')
    await tabTo(page.getByLabel('Operator'))
    await page.keyboard.type('olivia')
    await tabTo(page.getByLabel('Customer'))
    await page.keyboard.type('alice')
    await page.keyboard.press('Enter')
    await answer.getByText(reads('Yes, for 5 minutes at most.')).waitFor()
    expect(await answer.getAttribute('role')).to.equal('status')
    await page.getByLabel('Look and change').check()
    await page.getByRole('button', { name: 'Ask the rules' }).click()
    await answer.getByText('Yes, with an approval.').waitFor()
    await answer.getByText(reads('Grace Lindqvist can decide.')).waitFor()
    await page.getByLabel('Operator').fill('')
    await page.keyboard.press('Enter')
    await expectFocus(page.getByLabel('Operator'))
  })

  it('is good to look at, also in German', async () => {
    await using visit = await signedIn(deployment, 'grace', '/console/rules', { locale: 'de-DE' })
    const { page } = visit
    await heading(page, 'Regeln').waitFor()
    await page.getByLabel('Mitarbeiter', { exact: true }).fill('olivia')
    await page.getByLabel('Kunde', { exact: true }).fill('alice')
    await page.getByLabel('Ansehen und ändern').check()
    await page.getByRole('button', { name: 'Regeln fragen' }).click()
    await page.getByText('Ja, mit einer Freigabe.').waitFor()
    await expectGoodLooks(page, 'rules-de')
  })
})
