import { expect } from 'chai'
import { banner, enterConsole, message, startActing } from './support/acting.ts'
import { expectFocus, expectFocusKept, tabTo } from './support/focus.ts'
import { type SharedExample, sharedExample } from './support/server.ts'
import { NARROW, visit } from './support/visit.ts'

describe('the keyboard alone', function () {
  this.timeout(60_000)
  let example: SharedExample

  before(async () => {
    example = await sharedExample()
  })

  it('leads from the sign-in to the end', async () => {
    await using person = await visit(example.url)
    const { page } = person
    const { keyboard } = page
    await page.goto('/console')
    await tabTo(page.getByRole('button', { name: 'Sign in' }))
    await keyboard.press('Enter')
    await expectFocus(page.getByLabel('Login'))
    await keyboard.type('olivia')
    await keyboard.press('Tab')
    await keyboard.type('demo-password')
    await keyboard.press('Enter')

    await expectFocus(page.getByRole('heading', { name: 'Customers' }))
    await tabTo(page.getByLabel('Search by name'))
    await keyboard.type('ali')
    await page.getByText('1 person').waitFor()
    await expectFocus(page.getByLabel('Search by name'))
    await tabTo(page.getByRole('button', { name: 'Act as Alice Ng' }))
    await keyboard.press('Enter')

    await expectFocus(page.getByRole('heading', { name: 'Act as Alice Ng' }))
    await tabTo(page.getByLabel('Ticket number'))
    await keyboard.press('Enter')
    await page.getByText('Enter the number of the ticket').waitFor()
    await expectFocus(page.getByLabel('Ticket number'))
    await keyboard.type('SUP-123')
    await tabTo(page.getByLabel('Reason', { exact: true }))
    await keyboard.type('Order lost in the post')
    await tabTo(page.getByLabel('I must change orders'))
    await keyboard.press('Space')
    await tabTo(page.getByLabel('10 minutes'))
    await keyboard.press('ArrowUp')
    expect(await page.getByLabel('5 minutes').isChecked()).to.equal(true)
    await tabTo(page.getByRole('button', { name: 'Start acting' }))
    await keyboard.press('Enter')

    await expectFocus(page.getByRole('heading', { name: 'Orders of Alice Ng' }))
    const beans = page.locator('#orders article', { hasText: 'Coffee beans' })
    await tabTo(beans.getByLabel('Delivery note'))
    await keyboard.press('ControlOrMeta+A')
    await keyboard.type('At the neighbours')
    await tabTo(beans.getByRole('button', { name: 'Save the note' }))
    await keyboard.press('Enter')
    await beans.getByText('At the neighbours').waitFor()
    await expectFocus(beans.getByRole('button', { name: 'Save the note' }))

    person.expectFailure('/orders/email', 403)
    await tabTo(page.getByLabel('New e-mail address'))
    await keyboard.type('new@example.org')
    await keyboard.press('Enter')
    await message(page).getByText('access_denied').waitFor()
    await expectFocusKept(page)

    await tabTo(page.getByRole('link', { name: 'Look inside' }), 'Shift+Tab')
    await keyboard.press('Enter')
    await expectFocus(page.getByRole('heading', { name: 'Look inside' }))
    await tabTo(page.getByLabel('Show the tokens themselves'))
    person.tokens.reveal()
    await keyboard.press('Space')
    await page.getByText("A person with the operator's token").waitFor()
    await keyboard.press('Space')
    await page.getByText("A person with the operator's token").waitFor({ state: 'hidden' })
    person.tokens.conceal()
    await expectFocus(page.getByLabel('Show the tokens themselves'))
    await tabTo(page.getByText('The answer').first())
    await keyboard.press('Space')
    await page.getByText('$SUBJECT_TOKEN').last().waitFor()

    await tabTo(banner(page).getByRole('button', { name: 'End' }), 'Shift+Tab')
    await keyboard.press('Enter')
    await message(page).getByText('You no longer act as Alice Ng').waitFor()
    await expectFocus(page.getByRole('heading', { name: 'Customers' }))
  })

  it('skips to the content while somebody is acted as, and stays in the view', async () => {
    await using person = await visit(example.url, { viewport: NARROW })
    const { page } = person
    await enterConsole(page)
    await startActing(page)
    await tabTo(page.getByRole('link', { name: 'Skip to the content' }), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await expectFocus(page.getByRole('button', { name: 'Ask again' }))
    expect(await page.getByRole('heading', { level: 1 }).textContent()).to.equal(
      'Orders of Alice Ng',
    )
  })

  it('is not lost with the button of a message, nor where End is pressed in the audit', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await enterConsole(page)
    await startActing(page)
    await page.route('**/orders', (route) => route.abort())
    person.expectFailure('/orders')
    await page.getByRole('button', { name: 'Ask again' }).click()
    const again = message(page).getByRole('button', { name: 'Try again' })
    await again.waitFor()
    await page.unroute('**/orders')
    await tabTo(again, 'Shift+Tab')
    await page.keyboard.press('Enter')
    await again.waitFor({ state: 'detached' })
    await expectFocus(page.getByRole('heading', { name: 'Orders of Alice Ng' }))

    await page.getByRole('link', { name: 'Audit' }).click()
    await page.getByText(/^\d+ entries/).waitFor()
    await tabTo(banner(page).getByRole('button', { name: 'End' }), 'Shift+Tab')
    await page.keyboard.press('Enter')
    await message(page).getByText('You no longer act as Alice Ng').waitFor()
    await expectFocus(page.getByRole('heading', { name: 'Audit' }))
  })
})
