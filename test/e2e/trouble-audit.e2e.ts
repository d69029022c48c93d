import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import {
  exchange,
  launch,
  postJson,
  type Running,
  signIn as signInByHand,
  temporaryFolder,
} from '../example-provider/support.ts'
import { enterConsole, message } from './support/acting.ts'
import { type Visit, visit } from './support/visit.ts'

describe('following the audit while the server comes and goes', () => {
  it('says that the connection is lost, tries again by itself, and has missed nothing', async () => {
    await using folder = await temporaryFolder()
    const environment = { PORT: String(await freePort()), DATA_DIR: folder.path }
    await using before = await launch(environment)
    const base = before.url
    await impersonateElsewhere(base, 'SUP-1')
    await using person = await following(base)
    const { page } = person
    await entriesOf(page, 'SUP-1', 2)
    await impersonateElsewhere(base, 'SUP-2')
    await entriesOf(page, 'SUP-2', 2)

    await kill(before)
    await state(page).getByText('Connection lost. Trying again…').waitFor()
    person.expectFailure('/support/audit/stream')
    const failed = page.waitForEvent('requestfailed')
    await page.clock.runFor(1000)
    await failed
    await state(page).getByText('Connection lost. Trying again…').waitFor()

    await using _after = await launch(environment)
    await impersonateElsewhere(base, 'SUP-3')
    expect(await page.getByRole('row', { name: 'SUP-3' }).count()).to.equal(0)
    await page.clock.runFor(10_000)
    await state(page).getByText('Live', { exact: true }).waitFor()
    await entriesOf(page, 'SUP-3', 2)
    await impersonateElsewhere(base, 'SUP-4')
    for (const ticket of ['SUP-1', 'SUP-2', 'SUP-3', 'SUP-4']) await entriesOf(page, ticket, 2)
    expect(await message(page).textContent()).to.equal('')
  })
})

/** In the audit, with a clock that only the test moves. */
async function following(base: string): Promise<Visit> {
  const person = await visit(base, { clock: new Date() })
  const { page } = person
  await enterConsole(page)
  await page.getByRole('link', { name: 'Audit' }).click()
  await state(page).getByText('Live', { exact: true }).waitFor()
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1000)
  return person
}

function state(page: Page) {
  return page.getByRole('status').and(page.locator('[data-slot=live]'))
}

/** One that is asked for and started makes two. */
async function entriesOf(page: Page, ticket: string, count: number): Promise<void> {
  const rows = page.getByRole('row', { name: `${ticket}:` })
  await rows.nth(count - 1).waitFor()
  expect(await rows.count()).to.equal(count)
}

/** What another operator does, far from this browser. */
async function impersonateElsewhere(base: string, ticketId: string): Promise<void> {
  const token = await signInByHand(base)
  const why = { userId: 'bob', ticketId, reason: 'Elsewhere' }
  const { body } = await postJson(`${base}/support/impersonations`, why, token)
  const { status } = await exchange(base, body.subjectToken, token)
  expect(status).to.equal(200)
}

async function kill({ child, ended }: Running): Promise<void> {
  child.kill('SIGKILL')
  await ended
}

/** The next server has to come back where the last one was. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}
