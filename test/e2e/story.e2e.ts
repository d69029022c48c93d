import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { banner, message, pressStart, startActing } from './support/acting.ts'
import { type LaunchedExample, launchExample } from './support/server.ts'
import { signIn } from './support/sign-in.ts'
import {
  accountOf,
  auditOf,
  endActing,
  everythingIn,
  goTo,
  LONG,
  textOf,
} from './support/story-steps.ts'
import { type Visit, visit } from './support/visit.ts'

/** As short as an impersonation in a test is. */
const SECONDS = /^\d{1,2} s$/
/** What was left of ten minutes. */
const EARLY = /^9 min \d{1,2} s before its time$/

describe('the story', () => {
  let example: LaunchedExample

  before(async () => {
    example = await launchExample()
  })
  after(() => example[Symbol.asyncDispose]())

  it('olivia helps alice, for a reason, and alice can see it', async () => {
    await using olivia = await visit(example.url)
    const { page } = olivia

    await page.goto('/')
    await page.getByRole('link', { name: 'Support console' }).click()
    await signIn(page, page.getByRole('button', { name: 'Sign in' }))
    await page.getByLabel('Search').fill('alice')
    await page.getByRole('status').getByText('1 person', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Act as Alice Ng' }).click()

    // To look.
    await page.getByLabel('Ticket number').fill('SUP-1')
    await page.getByLabel('Reason', { exact: true }).fill('Where is her grinder?')
    await pressStart(page)
    await page.getByText('Coffee grinder').waitFor()
    expect(await textOf(banner(page))).to.match(
      /^You are acting as Alice Ng, ticket SUP-1, (?:10:00|09:5\d) left End$/,
    )
    await endActing(page)
    expect(await textOf(message(page))).to.match(
      /^You no longer act as Alice Ng\. You ended it after \d+ s\. The token is forgotten\.$/,
    )

    // To change something.
    await startActing(page, { ticket: 'SUP-2', reason: 'Nobody is home', mayChange: true })
    await page.getByLabel('Delivery note for Coffee grinder').fill('Ring twice')
    await page.getByLabel('Delivery note for Coffee grinder').press('Enter')
    await message(page).getByText('Saved for Alice Ng').waitFor()
    await page.getByText('Changed by alice, olivia acting').waitFor()
    await endActing(page)

    await goTo(page, 'Audit')
    const audit = await auditOf(page, 6)
    expect(audit.map((row) => row.slice(0, 4))).to.deep.equal([
      ['Ended', 'olivia', 'alice', 'SUP-2: Nobody is home'],
      ['Started', 'olivia', 'alice', 'SUP-2: Nobody is home'],
      ['Asked for', 'olivia', 'alice', 'SUP-2: Nobody is home'],
      ['Ended', 'olivia', 'alice', 'SUP-1: Where is her grinder?'],
      ['Started', 'olivia', 'alice', 'SUP-1: Where is her grinder?'],
      ['Asked for', 'olivia', 'alice', 'SUP-1: Where is her grinder?'],
    ])
    expect(audit[0]?.[4]).to.match(EARLY)
    expect(audit[1]?.[4]).to.match(/^at most .*, with changes$/)
    expect(audit[4]?.[4]).to.match(/^at most .*, to look$/)

    await using alice = await visit(example.url)
    await signInToAccount(alice, 'alice')
    await alice.page.getByRole('cell', { name: 'SUP-2' }).waitFor()
    const [second, first, ...others] = await accountOf(alice.page)
    const who = 'Olivia Reyes (support)'
    expect(others).to.deep.equal([])
    expect(first?.slice(0, 3)).to.deep.equal([who, 'SUP-1', 'See your orders'])
    expect(second?.slice(0, 3)).to.deep.equal([who, 'SUP-2', 'See and change your orders'])
    for (const length of [first?.[3], second?.[3]]) {
      expect(length).to.match(SECONDS)
    }
    await expectNoReason(alice.page)

    await olivia.tokens.expectNowhere(example.log())
    await alice.tokens.expectNowhere(example.log())
  }).timeout(LONG)
})

async function signInToAccount({ page }: Visit, login: string): Promise<void> {
  await page.goto('/')
  await page.getByRole('link', { name: 'account' }).click()
  await signIn(page, page.getByRole('button', { name: 'Sign in' }), login)
  await page.getByRole('heading', { name: 'Who acted as you' }).waitFor()
}

/** It is internal. Not only the page has to keep it: the answer, too. */
async function expectNoReason(page: Page): Promise<void> {
  const answer = page.waitForResponse('**/account/impersonations*')
  await page.getByRole('button', { name: 'Look again' }).click()
  const told = `${await (await answer).text()}${await everythingIn(page)}`
  expect(told).to.include('SUP-1')
  for (const reason of ['grinder', 'Nobody is home']) expect(told).not.to.include(reason)
}
