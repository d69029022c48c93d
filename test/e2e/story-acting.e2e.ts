import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { act, banner, enterConsole, message, pressStart, startActing } from './support/acting.ts'
import { type LaunchedExample, launchExample } from './support/server.ts'
import {
  auditOf,
  cellsOf,
  endActing,
  everythingIn,
  expectFocus,
  goTo,
  LONG,
  rowsOf,
  textOf,
  VIEWS,
} from './support/story-steps.ts'
import { visit } from './support/visit.ts'

describe('an operator in the console', () => {
  let example: LaunchedExample

  before(async () => {
    example = await launchExample()
  })
  after(() => example[Symbol.asyncDispose]())

  it('finds customers by name, e-mail address and id, and back from nobody; has to name a ticket and a reason', async () => {
    await using olivia = await visit(example.url)
    const { page, urls } = olivia
    await enterConsole(page)
    await found(page, '7 people')
    for (const [part, ...names] of [
      ['alice ng', 'Alice Ng'],
      ['DANA@example', 'Dana Schmidt'],
      ['mallory', '<img src=x onerror=alert(1)>'],
      ['ch', 'Chidi Okeke', 'Dana Schmidt'],
    ] as const) {
      await page.getByLabel('Search').fill(part)
      await found(page, names.length === 1 ? '1 person' : `${names.length} people`)
      await page.getByRole('rowheader', { name: names[0], exact: true }).waitFor()
      expect(await namesIn(page), part).to.deep.equal(names)
    }

    await page.getByLabel('Search').fill('zebra')
    await found(page, 'No customer matches “zebra”.')
    expect(await page.getByRole('table').isVisible()).to.equal(false)
    await page.getByRole('button', { name: 'Show all customers' }).click()
    await found(page, '7 people')
    await expectFocus(page.getByLabel('Search'))
    expect(await page.getByLabel('Search').inputValue()).to.equal('')

    await page.getByRole('button', { name: 'Act as Alice Ng' }).click()
    await page.getByRole('heading', { name: 'Act as Alice Ng' }).waitFor()
    const ticket = page.getByLabel('Ticket number')
    const reason = page.getByLabel('Reason', { exact: true })
    const noTicket = page.getByText('Enter the number of the ticket that this is about.')
    const noReason = page.getByText('Say in a few words what the customer asked for.')

    await pressStart(page)
    await noTicket.waitFor()
    await noReason.waitFor()
    await expectFocus(ticket)
    expect(await ticket.getAttribute('aria-invalid')).to.equal('true')

    await ticket.fill('SUP-3')
    expect(await noTicket.isVisible()).to.equal(false)
    await reason.fill('   ')
    await pressStart(page)
    await noReason.waitFor()
    await expectFocus(reason)
    expect(await noTicket.isVisible()).to.equal(false)

    expect(urls.filter((url) => /impersonations|token$/.test(url)).length).to.equal(1)
    expect(await banner(page).isVisible()).to.equal(false)
    await olivia.tokens.expectNowhere(example.log())
  })

  it('looks, and nothing more, for as long as chosen, with the banner over every view', async () => {
    await using olivia = await visit(example.url)
    const { page } = olivia
    await act(page, { ticket: 'SUP-4', minutes: 2 })
    for (const item of ['Espresso machine', 'Coffee beans, 1 kg', 'Coffee grinder']) {
      await page.getByText(item, { exact: true }).waitFor()
    }
    expect(await page.getByText('This impersonation is read-only').count()).to.equal(2)
    expect(await page.getByLabel('Delivery note').count()).to.equal(0)
    expect(await page.getByRole('button', { name: 'Save the note' }).count()).to.equal(0)

    const left: string[] = []
    for (const view of VIEWS) {
      await goTo(page, view)
      await page.getByRole('heading', { level: 1, name: view }).waitFor()
      const text = await textOf(banner(page))
      expect(text, view).to.match(/^You are acting as Alice Ng, ticket SUP-4,/)
      left.push(/(\d\d:\d\d) left/.exec(text)?.[1] ?? '')
      expect(await page.title()).to.match(/^Acting as Alice Ng · /)
      expect(await page.getByRole('button', { name: 'End', exact: true }).isVisible()).to.equal(
        true,
      )
    }
    for (const shown of left) expect(shown).to.match(/^02:00$|^01:\d\d$/)
    expect(left.toSorted().toReversed(), 'it counts down').to.deep.equal(left)

    await goTo(page, 'Customers')
    await page.getByText('You are acting as Alice Ng. End that before').waitFor()
    await page.getByRole('rowheader', { name: 'Bob Meyer' }).waitFor()
    expect(await page.getByRole('button', { name: 'Act as Bob Meyer' }).isDisabled()).to.equal(true)

    await goTo(page, 'Look inside')
    const claims = await cellsOf(rowsOf(page, 'Claims of the access token'))
    const [exp, iat] = ['exp', 'iat'].map((name) =>
      Number.parseInt(claims.find(([claim]) => claim === name)?.[1] ?? '', 10),
    )
    expect(Number(exp) - Number(iat)).to.equal(120)

    await goTo(page, 'Audit')
    // Between the token and the entry, a second may turn.
    expect((await auditOf(page, 2))[0]?.[4]).to.match(/^at most (?:2 min|1 min 5\d s), to look$/)
    await olivia.tokens.expectNowhere(example.log())
  })

  it('changes an order, and not the e-mail address; nothing of the customer stays, wherever it ends', async () => {
    await using olivia = await visit(example.url)
    const { page } = olivia
    await enterConsole(page)
    const title = await page.title()
    await startActing(page, { mayChange: true })
    const card = page.locator('article', { hasText: 'Coffee beans' })
    await card.getByLabel('Delivery note for Coffee beans, 1 kg').fill('<b>With</b> the neighbours')
    await card.getByRole('button', { name: 'Save the note' }).click()
    await message(page).getByText('Saved for Alice Ng: the delivery note of Coffee beans').waitFor()
    await card.getByText('<b>With</b> the neighbours').waitFor()
    await card.getByText('Changed by alice, olivia acting').waitFor()
    // Too late for what is delivered.
    expect(await page.getByLabel('Delivery note for Espresso machine').count()).to.equal(0)

    olivia.expectFailure('/orders/email', 403)
    await page.getByLabel('New e-mail address').fill('olivia@example.com')
    await page.getByRole('button', { name: 'Change the e-mail address' }).click()
    await message(page).getByText('not while an operator acts for the user').waitFor()
    expect(await textOf(message(page))).to.match(/^The Orders API said 403 \w+: /)
    expect(await message(page).getByRole('button').count(), 'to try again is of no use').to.equal(0)
    expect(await banner(page).isVisible(), 'it goes on').to.equal(true)
    await endActing(page)

    for (const view of ['Look inside', 'Audit'] as const) {
      await goTo(page, 'Customers')
      await startActing(page, { ticket: `SUP-5 ${view}`, mayChange: true })
      await goTo(page, view)
      await page.getByRole('heading', { level: 1, name: view }).waitFor()
      await endActing(page)

      await message(page).getByText('You no longer act as Alice Ng. You ended it').waitFor()
      expect(await textOf(message(page))).to.include('The token is forgotten.')
      expect(await banner(page).isVisible()).to.equal(false)
      expect(await page.title()).to.equal(title)
      for (const link of ['Orders', 'Look inside']) {
        expect(await page.getByRole('link', { name: link, exact: true }).isVisible()).to.equal(
          false,
        )
      }
      const left = await everythingIn(page)
      for (const text of ['Espresso', 'A-1002', 'urn:ietf', 'OPERATOR_TOKEN']) {
        expect(left, `${text}, ended at ${view}`).not.to.include(text)
      }
      // In the audit it is an entry.
      if (view !== 'Audit') expect(left).not.to.include('impersonation:')
    }

    await page.evaluate(() => location.assign('#act'))
    await page.getByRole('heading', { name: 'Customers' }).waitFor()
    expect(await page.getByRole('heading', { name: 'Orders of' }).isVisible()).to.equal(false)
    await olivia.tokens.expectNowhere(example.log())
  }).timeout(LONG)
})

async function found(page: Page, words: string): Promise<void> {
  await page.getByRole('status').filter({ hasText: words }).waitFor()
}

/** Of the customers who are shown. */
async function namesIn(page: Page): Promise<(string | undefined)[]> {
  return (await cellsOf(rowsOf(page, 'Customers found'))).map(([name]) => name)
}
