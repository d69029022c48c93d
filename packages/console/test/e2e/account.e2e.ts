import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { renewed } from '../../../../test/support/shared.ts'
import { deploy, HOSTILE } from '../support/deployment.ts'
import { submitSignIn } from './support/enter.ts'
import { signedIn } from './support/operating.ts'
import { expectGoodLooks } from './support/pictures.ts'

const now = (page: Page) => page.getByRole('region', { name: 'Right now' })
const before_ = (page: Page) => page.getByRole('region', { name: 'Earlier' })

describe('the account page', function () {
  this.timeout(120_000)
  const deployment = renewed(() =>
    deploy({
      console: {
        account: {
          clientId: 'customer-account',
          describe: ({ method, path }, language) => {
            if (path !== '/orders') return `${method} ${path}`
            return language === 'de' ? 'Ihre Bestellungen angesehen' : 'Looked at your orders'
          },
        },
      },
    }),
  )

  it('shows who acts as the customer now and what was done, and ends it at once', async () => {
    const running = await deployment.impersonate()
    await running.look()
    await running.look()
    await running.change()
    await running.refused()
    await using visitor = await signedIn(deployment, 'alice', '/account')
    const { page } = visitor
    const card = now(page).getByRole('article')
    await card.getByRole('heading', { name: 'Olivia Okafor acts as you' }).waitFor()
    await card.getByText('Looked at your orders').waitFor()
    await card.getByText('SUP-123').waitFor()
    await card.getByText('tried, and refused').waitFor()
    expect(await card.getByText('An order did not arrive').count(), 'the reason').to.equal(0)
    await expectGoodLooks(page, 'account-running')

    await card.getByRole('button', { name: /^End it now: .*Olivia Okafor/ }).click()
    await page.getByText('You ended it.').waitFor()
    await now(page).getByText('does not act as you').waitFor()
    const past = before_(page).getByRole('article')
    await past.getByText('Ended by you').waitFor()
    const body = await deployment.read('grace', '')
    expect(body.running).to.eql([])
    await expectGoodLooks(page, 'account-ended')
    expect(await page.evaluate(() => document.cookie), 'no script reads the token').not.to.match(
      /customer-account/,
    )
  })

  it('takes an objection with a note, ends what runs, and says what happens next', async () => {
    await deployment.impersonate()
    await using visitor = await signedIn(deployment, 'alice', '/account')
    const { page } = visitor
    const object = now(page).locator('summary')
    expect(await object.getAttribute('aria-label')).to.match(/^I did not ask for this: .*Olivia/)
    await object.click()
    await expectGoodLooks(page, 'account-objection')
    await now(page).getByRole('textbox').fill('I know of no ticket')
    await now(page).getByRole('button', { name: 'Tell them' }).click()
    await page.getByText('Thank you.').waitFor()
    await before_(page).getByText('You said on').waitFor()
    expect(await page.locator('summary').count(), 'once').to.equal(0)
    await expectGoodLooks(page, 'account-objected')
  })

  it('keeps the note that comes after the sign-in is over', async () => {
    await deployment.impersonate()
    await using visitor = await signedIn(deployment, 'alice', '/account')
    const { page, context } = visitor
    await page.locator('summary').click()
    await page.getByRole('textbox').fill('Not me')
    await context.clearCookies()
    visitor.expectFailure('/account/objection', 401)
    await page.getByRole('button', { name: 'Tell them' }).click()
    const kept = page.getByRole('textbox', { name: 'note' })
    expect(await kept.inputValue()).to.equal('Not me')
    const [tab] = await Promise.all([
      context.waitForEvent('page'),
      page.getByRole('link', { name: 'Sign in' }).click(),
    ])
    await submitSignIn(tab, 'alice')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Thank you.').waitFor()
  })

  it('is empty for a customer as whom the team never acted, and looks again by itself', async () => {
    await using visitor = await signedIn(deployment, 'bob', '/account')
    const { page } = visitor
    await before_(page).getByText('The support team has not acted as you.').waitFor()
    await expectGoodLooks(page, 'account-empty')
    await deployment.impersonate({ customer: 'bob' })
    await now(page).getByRole('article').waitFor()
  })

  it('shows names and tickets of an attacker as text', async () => {
    const customer = 'hostile-html'
    for (const ticket of [HOSTILE.html, HOSTILE.script, 'x'.repeat(100)]) {
      await deployment.impersonate({ customer, ticket: String(ticket).slice(0, 100) })
    }
    await using visitor = await signedIn(deployment, customer, '/account')
    const { page } = visitor
    await now(page).getByText('<img src=x').waitFor()
    expect(await page.title()).to.equal('Who acted as you')
    await expectGoodLooks(page, 'account-hostile')
  })

  it('shows older ones when asked', async () => {
    for (let ticket = 0; ticket < 12; ticket += 1) {
      const running = await deployment.impersonate({ ticket: `SUP-${ticket}` })
      await running.end()
    }
    await using visitor = await signedIn(deployment, 'alice', '/account')
    const { page } = visitor
    const cards = before_(page).getByRole('article')
    await cards.first().waitFor()
    expect(await cards.count()).to.equal(10)
    await page.getByRole('link', { name: 'Show older ones' }).click()
    await before_(page).getByText('SUP-0').waitFor()
    expect(await cards.count()).to.equal(2)
    expect(await page.getByRole('link', { name: 'Show older ones' }).count()).to.equal(0)
  })

  it('speaks German where the browser does', async () => {
    const running = await deployment.impersonate()
    await running.look()
    const german = { locale: 'de-DE' }
    await using visitor = await signedIn(deployment, 'alice', '/account', german)
    const { page } = visitor
    await page.getByText('Olivia Okafor handelt in Ihrem Namen').waitFor()
    await page.getByText('Ihre Bestellungen angesehen').waitFor()
    await expectGoodLooks(page, 'account-german')
  })
})
