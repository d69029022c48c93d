import { expect } from 'chai'
import { type LaunchedExample, launchExample } from '../support/server.ts'
import { inEachBrowser } from './support/browsers.ts'
import { type Look, type Person, sitDown } from './support/person.ts'
import { signIn } from './support/sign-in.ts'

/** From the end until the customer's data is out of sight. */
const PROMISED_MS = 8000

inEachBrowser('the main paths', (browser) => {
  let example: LaunchedExample
  before(async () => {
    example = await launchExample()
  })
  after(() => example?.[Symbol.asyncDispose]())

  const enter = (person: Person, login: string, path: string) =>
    signIn(person, login, example.url + path)

  /** From the list of customers to the orders of one. */
  async function act(olivia: Person, ticket: string): Promise<Look> {
    await olivia.fill('Search', 'alice')
    await olivia.press('Act as Alice Ng')
    await olivia.fill('Ticket number', ticket)
    await olivia.fill('Reason', 'The parcel did not arrive')
    const shop = await olivia.opening(() => olivia.press('Act as Alice Ng'))
    await shop.sees('A-1002')
    return shop
  }

  it('an operator acts, sees as whom, goes on after a reload, and ends it', async () => {
    await using olivia = await sitDown(browser)
    await enter(olivia, 'olivia', '/console')
    const shop = await act(olivia, 'SUP-123')
    await shop.sees('Olivia Reyes acts as Alice Ng')
    await olivia.sees('Shop is open in a new tab, as Alice Ng.')

    await shop.tab.reload()
    await shop.sees('You acted as Alice Ng for SUP-123. The reload ended it.')
    await shop.press('Continue')
    const next = await olivia.opening(() => shop.press('Continue for SUP-123'))
    await next.sees('A-1002')
    await next.press('End')
    await next.sees('You no longer act as Alice Ng')
    expect(await next.text()).to.not.include('A-1002')
  })

  it('a lead ends it: the page is covered; the customer objects, and the auditor reads it', async () => {
    await using olivia = await sitDown(browser)
    await using grace = await sitDown(browser)
    await enter(olivia, 'olivia', '/console')
    await enter(grace, 'grace', '/console/running')
    const shop = await act(olivia, 'SUP-124')
    await grace.press('End: Olivia Reyes is acting as Alice Ng')
    await grace.sees('Ended by Grace Okafor')
    const ended = Date.now()
    await shop.sees('You no longer act as Alice Ng')
    expect(Date.now() - ended).to.be.below(PROMISED_MS)
    expect(await shop.text()).to.not.include('A-1002')

    await using alice = await sitDown(browser)
    await enter(alice, 'alice', '/account')
    await alice.press('I did not ask for this')
    await alice.sees('You did not ask for this?')
    const height = await alice.tab.evaluate<number>(
      "document.querySelector('dialog[open]').getBoundingClientRect().height / innerHeight",
    )
    expect(height, 'the part of the window that the dialog covers').to.be.below(0.75)
    await alice.fill('', 'I never called')
    await alice.press('Tell them')
    await alice.sees('Thank you.')

    await using ada = await sitDown(browser)
    await enter(ada, 'ada', '/console/audit')
    await ada.fill('Search', 'SUP-124')
    await ada.sees('1 impersonation in all')
    await ada.press('Alice Ng')
    await ada.sees('I never called')
    await ada.sees('The parcel did not arrive')
  })
})
