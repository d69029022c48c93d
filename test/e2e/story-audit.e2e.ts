import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { until } from '../adapters/servers.ts'
import { exchange, postJson, signIn } from '../example-provider/support.ts'
import { act, enterConsole, startActing } from './support/acting.ts'
import { type StartedExample, startExampleHere } from './support/server.ts'
import { auditOf, cellsOf, countOf, endActing, goTo, LONG, rowsOf } from './support/story-steps.ts'
import { visit } from './support/visit.ts'

const ENTRIES = 'Entries of the audit'

describe('the audit', () => {
  let example: StartedExample

  beforeEach(async () => {
    example = await startExampleHere()
  })
  afterEach(() => example[Symbol.asyncDispose]())

  it('can be searched, and shows each entry as it is, with no token in it', async () => {
    await using olivia = await visit(example.url)
    const { page } = olivia
    await act(page, { ticket: 'SUP-7', reason: 'Lost in the post', mayChange: true })
    await endActing(page)
    await startActing(page, { customer: 'Bob Meyer', ticket: 'SUP-8', reason: 'Too dark' })
    const refused = await postJson(
      `${example.url}/support/impersonations`,
      { userId: 'bob', ticketId: 'X-1', reason: 'Curious', scope: 'orders:read', duration: 120 },
      await signIn(example.url, 'grace'),
    )
    expect(refused.status).to.equal(403)

    await goTo(page, 'Audit')
    expect((await auditOf(page, 6)).map((row) => row.slice(0, 4))).to.deep.equal([
      [
        'Refused by the backend',
        'grace',
        'bob',
        'X-1: Curious. Refused: only support staff may act as a customer',
      ],
      ['Started', 'olivia', 'bob', 'SUP-8: Too dark'],
      ['Asked for', 'olivia', 'bob', 'SUP-8: Too dark'],
      ['Ended', 'olivia', 'alice', 'SUP-7: Lost in the post'],
      ['Started', 'olivia', 'alice', 'SUP-7: Lost in the post'],
      ['Asked for', 'olivia', 'alice', 'SUP-7: Lost in the post'],
    ])

    const row = rowsOf(page, ENTRIES).filter({ hasText: 'SUP-7' }).filter({ hasText: 'Started' })
    const json = row.getByLabel('The whole entry')
    expect(await json.isVisible()).to.equal(false)
    await row.getByText('JSON', { exact: true }).click()
    await json.waitFor()
    const entry = JSON.parse((await json.textContent()) ?? '')
    expect(entry).to.deep.include({
      event: 'impersonation.granted',
      subject: 'alice',
      actor: { sub: 'olivia' },
      client: 'support-console',
      scope: 'orders:read orders:write',
      resource: `${example.url}/orders`,
    })
    expect(entry.context).to.include({
      ticketId: 'SUP-7',
      reason: 'Lost in the post',
      duration: 600,
    })

    const text = page.getByLabel('Text', { exact: true })
    const event = page.getByRole('combobox', { name: 'What happened' })
    const operator = page.getByLabel('Operator', { exact: true })
    const customer = page.getByLabel('Customer', { exact: true })
    await text.fill('TOO dark')
    expect((await auditOf(page, 2)).map(whatAndWhom)).to.deep.equal([
      'Started bob',
      'Asked for bob',
    ])
    await event.selectOption('Started')
    expect((await auditOf(page, 1)).map(whatAndWhom)).to.deep.equal(['Started bob'])
    await text.fill('')
    expect((await auditOf(page, 2)).map(whatAndWhom)).to.deep.equal([
      'Started bob',
      'Started alice',
    ])
    await customer.fill('alice')
    expect((await auditOf(page, 1)).map(whatAndWhom)).to.deep.equal(['Started alice'])
    await operator.fill('grace')
    await page.getByText('Nothing matches.', { exact: true }).waitFor()
    expect(await rowsOf(page, ENTRIES).count()).to.equal(0)
    await customer.fill('')
    await event.selectOption('Everything but requests')
    expect((await auditOf(page, 1)).map(whatAndWhom)).to.deep.equal(['Refused by the backend bob'])
    await operator.fill('olivia')
    expect(await auditOf(page, 5)).to.have.lengthOf(5)
    await olivia.tokens.expectNowhere(example.log())
  }).timeout(LONG)

  it('shows a token that was used again as one entry, and ten minutes as ten', async () => {
    const token = await signIn(example.url)
    const why = { userId: 'alice', ticketId: 'SUP-20', reason: 'Lost' }
    const { body } = await postJson(`${example.url}/support/impersonations`, why, token)
    await exchange(example.url, body.subjectToken, token)
    for (let sent = 0; sent < 3; sent += 1) await exchange(example.url, body.subjectToken)

    await using olivia = await visit(example.url)
    const { page } = olivia
    await enterConsole(page)
    await goTo(page, 'Audit')
    const [ended, replayed] = await auditOf(page, 4)
    expect(ended?.slice(0, 4)).to.deep.equal([
      'Ended',
      'olivia',
      'alice',
      'SUP-20: Lost. Its subject token was presented once more, so the provider ended it.',
    ])
    expect(replayed?.slice(0, 4)).to.deep.equal([
      'Replayed',
      'unknown, with a token for olivia',
      'alice',
      'SUP-20: Lost',
    ])
    expect(replayed?.[4]).to.match(/^3 times in \d+ s$/)
    await page.getByLabel('Operator', { exact: true }).fill('bob')
    await page.getByText('Nothing matches.', { exact: true }).waitFor()
    await page.getByLabel('Operator', { exact: true }).fill('olivia')
    await auditOf(page, 4)

    // Wherever in a second they began.
    const began = { time: 1_800_000_000_999, expiresAt: 1_800_000_600 }
    const entry = { cursor: '1', event: 'impersonation.granted', scope: 'orders:read', ...began }
    await page.route('**/support/audit?*', (route) =>
      route.fulfill({ json: { entries: [entry], next: null } }),
    )
    await page.getByLabel('Operator', { exact: true }).fill('')
    expect((await auditOf(page, 1))[0]?.[4]).to.equal('at most 10 min, to look')
    await olivia.tokens.expectNowhere(example.log())
  })

  it('is live: what others do appears by itself, if it is what is looked for', async () => {
    await using first = await visit(example.url)
    await using second = await visit(example.url)
    await enterConsole(second.page)
    await goTo(second.page, 'Audit')
    await second.page.getByText('Nothing has happened yet. Act as a customer.').waitFor()
    // It asks at once, and once more when the stream has come.
    const isList = (url: string) => url.includes('/support/audit?')
    await until(async () => second.urls.filter(isList).length === 2)
    const before = second.urls.length

    await act(first.page, { ticket: 'SUP-10' })
    expect((await auditOf(second.page, 2)).map(whatAndWhom)).to.deep.equal([
      'Started alice',
      'Asked for alice',
    ])
    await endActing(first.page)
    expect((await auditOf(second.page, 3)).map(whatAndWhom)[0]).to.equal('Ended alice')
    expect(second.urls.slice(before), 'it asks for nothing').to.deep.equal([])

    await second.page.getByLabel('Customer', { exact: true }).fill('bob')
    await second.page.getByText('Nothing matches.', { exact: true }).waitFor()
    await startActing(first.page, { customer: 'Alice Ng', ticket: 'SUP-11' })
    await endActing(first.page)
    await startActing(first.page, { customer: 'Bob Meyer', ticket: 'SUP-12' })
    expect((await auditOf(second.page, 2)).map(whatAndWhom)).to.deep.equal([
      'Started bob',
      'Asked for bob',
    ])
    await expectAll(second.page, 8)
    for (const { tokens } of [first, second]) await tokens.expectNowhere(example.log())
  }).timeout(LONG)
})

function whatAndWhom([what, , whom]: string[]): string {
  return `${what} ${whom}`
}

/** Nothing that was left out is lost. */
async function expectAll(page: Page, entries: number): Promise<void> {
  await page.getByLabel('Customer', { exact: true }).fill('')
  await countOf(page, entries).waitFor()
  expect(await cellsOf(rowsOf(page, ENTRIES))).to.have.lengthOf(entries)
}
