import { expect } from 'chai'
import type { Page, Request } from 'playwright-core'
import { act, enterConsole, message } from './support/acting.ts'
import { type SharedExample, sharedExample } from './support/server.ts'
import { visit } from './support/visit.ts'

const STREAM = '/support/audit/stream'

describe('the stream of the audit, in the support console', () => {
  let example: SharedExample

  before(async () => {
    example = await sharedExample()
  })

  it('the list is there even if there is no stream', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await act(page, { ticket: 'SUP-list' })
    await page.route(`**${STREAM}*`, (route) => route.fulfill({ status: 503 }))
    person.expectFailure(STREAM, 503)
    await openAudit(page)
    await live(page).getByText('Connection lost. Trying again…').waitFor()
    await rows(page, 'SUP-list').nth(1).waitFor()
    expect(await message(page).textContent()).to.equal('')
  })

  it('a tab that nobody sees leaves its connection to others, and catches up when it is seen', async () => {
    await using person = await visit(example.url)
    const [page, other] = [person.page, await person.context.newPage()]
    await enterConsole(page)
    await openAudit(page)
    await isLive(page)
    let streams = 0
    page.on('request', (request) => {
      if (isStream(request)) streams += 1
    })
    await Promise.all([page.waitForEvent('requestfailed', isStream), setSeen(page, false)])

    await other.goto('/console')
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.getByRole('heading', { name: 'Customers' }).waitFor()
    await other.getByRole('button', { name: 'Act as Bob Meyer' }).click()
    await other.getByLabel('Ticket number').fill('SUP-hidden')
    await other.getByLabel('Reason', { exact: true }).fill('While nobody looked')
    await other.getByRole('button', { name: 'Start acting' }).click()
    await other.getByText('Desk lamp').waitFor()
    expect(streams, 'streams of a hidden tab').to.equal(0)
    expect(await rows(page, 'SUP-hidden').count()).to.equal(0)

    await setSeen(page, true)
    await rows(page, 'SUP-hidden').nth(1).waitFor()
    await isLive(page)
    expect(streams).to.equal(1)
    expect(await message(page).textContent()).to.equal('')
  })

  it('a connection that died without a word is noticed, and replaced', async () => {
    await using person = await visit(example.url, { clock: new Date() })
    const { page } = person
    await enterConsole(page)
    await openAudit(page)
    await isLive(page)
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1000)
    await page.clock.runFor(30_000)
    await isLive(page)
    // The server speaks every 15 s, of which the browser's clock makes no time at all. In small
    // steps: a second later it tries again.
    const lost = live(page).getByText('Connection lost. Trying again…')
    for (let spent = 30_000; spent < 36_000 && !(await lost.isVisible()); spent += 250) {
      await page.clock.runFor(250)
    }
    await lost.waitFor()
    await Promise.all([page.waitForRequest(isStream), page.clock.runFor(1000)])
    await isLive(page)
  })

  it('who leaves the audit leaves none of it behind, and no answer that comes late brings it back', async () => {
    await using person = await visit(example.url)
    const { page } = person
    await act(page, { ticket: 'SUP-late' })
    await openAudit(page)
    await rows(page, 'SUP-late').nth(1).waitFor()
    await isLive(page)
    await Promise.all([
      page.waitForEvent('requestfailed', isStream),
      page.getByRole('link', { name: 'Customers' }).click(),
    ])
    await page.getByRole('heading', { name: 'Customers' }).waitFor()
    await expectNoEntries(page)

    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    await page.route('**/support/audit?*', async (route) => {
      await released
      await route.continue()
    })
    await openAudit(page)
    await isLive(page)
    await page.getByRole('link', { name: 'Customers' }).click()
    await page.getByRole('heading', { name: 'Customers' }).waitFor()
    const answered = page.waitForResponse('**/support/audit?*')
    release()
    await (await answered).finished()
    await page.evaluate(async () => {
      for (let turn = 0; turn < 3; turn += 1) await fetch('/console').then((it) => it.text())
    })
    await expectNoEntries(page)
  })
})

async function openAudit(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Audit' }).click()
  await page.getByRole('heading', { name: 'Audit' }).waitFor()
}

function live(page: Page) {
  return page.getByRole('status').and(page.locator('[data-slot=live]'))
}

function isLive(page: Page): Promise<void> {
  return live(page).getByText('Live', { exact: true }).waitFor()
}

function rows(page: Page, ticket: string) {
  return page.getByRole('row', { name: ticket })
}

function isStream(request: Request): boolean {
  return new URL(request.url()).pathname === STREAM
}

async function expectNoEntries(page: Page): Promise<void> {
  expect(await page.locator('#audit-entries').innerHTML()).to.equal('')
  expect(await page.locator('#view-audit [data-slot=count]').textContent()).to.equal('')
}

/** As a browser does when another tab comes to the front, which a headless one never hides. */
async function setSeen(page: Page, isSeen: boolean): Promise<void> {
  await page.evaluate((seen) => {
    const state = seen ? 'visible' : 'hidden'
    Object.defineProperty(document, 'hidden', { configurable: true, value: !seen })
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: state })
    document.dispatchEvent(new Event('visibilitychange'))
  }, isSeen)
}
