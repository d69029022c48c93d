import { expect } from 'chai'
import { renewed } from '../../../../test/support/shared.ts'
import { deployWithPermits } from '../support/with-permits.ts'
import { heading, signedIn } from './support/operating.ts'
import { expectGoodLooks } from './support/pictures.ts'

describe('the overview', function () {
  this.timeout(120_000)
  const deployment = renewed(() =>
    deployWithPermits(({ scope = '' }) =>
      scope.includes('orders:write') ? { needs: ['second_person'], emergency: true } : true,
    ),
  )

  it('is where a lead begins: who acts now and what waits, as it happens, with one number in the tab', async () => {
    await using visit = await signedIn(deployment, 'grace')
    const { page } = visit
    await heading(page, 'Inbox').waitFor()
    expect(new URL(page.url()).pathname).to.equal('/console')
    await page.getByText('Nothing waits for you.').waitFor()
    await page.getByText('No one is acting as a customer right now.').waitFor()
    await page.waitForFunction(() => document.title === 'Inbox')

    const running = await deployment.impersonate({ access: 'read' })
    await page.getByRole('row', { name: /^Alice Ng/ }).waitFor()
    await deployment.emergency()
    await page.getByText('1 thing waits for you.').first().waitFor()
    await deployment.request({ customer: 'bob', operator: 'oscar' })
    await page.getByText('2 things wait for you.').first().waitFor()
    await running.replay()
    await page.waitForFunction(() => document.title === '(3) Inbox')
    const cards = await page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents()
    const seen = cards.map((each) => each.replaceAll(/[\u2066-\u2069]/g, ''))
    expect(seen, 'the most important first').to.deep.equal([
      'Olivia Okafor as Alice Ng',
      'A token was used again',
      'Oscar Öhman as Bob Marsh',
      'Who acts now',
    ])
    expect(await page.getByText('Nothing waits for you.').count()).to.equal(0)
    // The number stays on other pages.
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.waitForFunction(() => document.title.startsWith('(3) '))
  })

  it('is good to look at, also in German', async () => {
    await deployment.request()
    await deployment.emergency({ customer: 'bob' })
    await deployment.impersonate({ access: 'read', customer: 'carla' })
    await using german = await signedIn(deployment, 'grace', '/console', { locale: 'de-DE' })
    const { page } = german
    await heading(page, 'Eingang').waitFor()
    await page.getByRole('row', { name: /Carla/ }).waitFor()
    await expectGoodLooks(page, 'overview-de')
    await page.locator('summary', { hasText: 'Olivia' }).first().click()
    await expectGoodLooks(page, 'running-lead-de')
  })
})
