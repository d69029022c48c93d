import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { type Deployment, deploy } from '../../support/deployment.ts'
import {
  impersonation,
  rowLinks,
  ticketsOf,
  timelineOf,
  waitForAll,
} from '../support/audit-page.ts'
import { idOf, storePast } from '../support/audit-rows.ts'
import { enter } from '../support/enter.ts'
import { expectFocus } from '../support/focus.ts'
import { visitDeployment } from '../support/operating.ts'

const DAY = 86_400_000

/** Noon of the Tuesday before this one, here, as the browser of the test is in this zone, too. */
function lastTuesday(): Date {
  const day = new Date()
  day.setHours(12, 0, 0, 0)
  do day.setTime(day.getTime() - DAY)
  while (day.getDay() !== 2)
  return day
}

describe('who acted as alice last Tuesday, why, and what did they do?', () => {
  const timezoneId = Intl.DateTimeFormat().resolvedOptions().timeZone
  let deployment: Deployment

  before(async () => {
    deployment = await deploy()
    const tuesday = lastTuesday().getTime()
    await storePast(deployment.audit, [
      { at: tuesday - DAY, ticket: 'T-1' },
      { at: tuesday, ticket: 'T-2', customer: 'bob' },
      {
        ...{ at: tuesday + 1000, ticket: 'T-3', operator: 'oscar', reason: 'Order 7 is lost' },
        ...{ reads: ['/orders', '/orders', '/orders/7'], changes: ['/orders/7/note'] },
        ...{ refused: ['/email'], end: 'requested' },
      },
      { at: tuesday + DAY, ticket: 'T-4' },
    ])
  })
  after(() => deployment[Symbol.asyncDispose]())

  it('is answered from the list by a few clicks, with a link to send and a CSV', async () => {
    await using visit = await visitDeployment(deployment, { timezoneId })
    const { page } = visit
    await enter(page, 'ada', '/console/audit')
    await waitForAll(page, 4)
    await page.getByLabel('Search', { exact: true }).fill('alice')
    await page.waitForURL('**/audit?text=alice')
    const tuesday = lastTuesday()
    const parts = [tuesday.getFullYear(), tuesday.getMonth() + 1, tuesday.getDate()]
    const day = parts.map((part) => String(part).padStart(2, '0')).join('-')
    await page.getByLabel('When').selectOption('From – to')
    await page.getByLabel('From').fill(day)
    await page.waitForURL(/from=/)
    await page.getByLabel('To', { exact: true }).fill(day)
    await waitForAll(page, 1)
    expect(await ticketsOf(page)).to.deep.equal(['T-3'])
    const list = page.url()

    await rowLinks(page).click()
    await impersonation(page, 'Oscar Öhman as Alice Ng').waitFor()
    await page.getByText('Oscar Öhman, the operator, ended it.').waitFor()
    const told = await timelineOf(page)
    expect(told.map((each) => each.replace(/^\d\d:\d\d:\d\d /, ''))).to.deep.equal([
      'Oscar Öhman asked to act as Alice Ng. It can be started until ' +
        `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' }).format(tuesday.getTime() + 61_000)}.`,
      'Started in Shop.',
      'GET /orders answered 200 2 times, from 12:00:04 to 12:00:05',
      'GET /orders/7 answered 200',
      'PUT /orders/7/note answered 204',
      'PUT /email refused not while acting',
      'Oscar Öhman, the operator, ended it.',
    ])
    await page.getByText('3 reads, 1 change, 1 refused, 0 failed').waitFor()

    expect(page.url()).to.equal(`${deployment.consoleUrl}/audit/${idOf(2)}`)

    await page.goto(list)
    await waitForAll(page, 1)
    await page.getByText('Export', { exact: true }).click()
    await page.evaluate(() => Reflect.deleteProperty(window, 'showSaveFilePicker'))
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as CSV' }).click()
    const csv = await readFile(await (await download).path(), 'utf8')
    const lines = csv.trim().split('\r\n')
    expect(lines).to.have.lengthOf(2)
    expect(lines[1]).to.include(idOf(2)).and.to.include('Order 7 is lost')
  })

  it('the link of a row and of an entry lead there through the sign-in', async () => {
    const { body } = await deployment.ask('ada', `/audit/${idOf(2)}`)
    const read = body.entries[2].cursor
    for (const [hash, login] of [
      ['', 'grace'],
      [`#${read}`, 'ada'],
    ] as const) {
      await using visit = await visitDeployment(deployment)
      const { page } = visit
      await enter(page, login, `/console/audit/${idOf(2)}${hash}`)
      await impersonation(page, 'Oscar Öhman as Alice Ng').waitFor()
      expect(new URL(page.url()).hash).to.equal(hash)
      if (hash === '') continue
      // It is in a run of the same request, which is open now.
      const entry = page.locator('[aria-current="location"]')
      await expectFocus(entry)
      expect(await entry.textContent()).to.include('GET /orders')
      await entry.getByRole('button', { name: 'Details' }).click()
      const json = JSON.parse((await entry.locator('pre').textContent()) ?? '')
      expect(json).to.deep.include({ event: 'impersonation.used', id: idOf(2) })
      await entry.getByText('Number 7 in the chain of').waitFor()
    }
  })

  it('a link to what is not there says so, and has a way on', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    visit.expectFailure(new RegExp(idOf(99)), 404)
    await enter(page, 'ada', `/console/audit/${idOf(99)}`)
    await page.getByText('There is no such impersonation').waitFor()
    await page.getByRole('link', { name: 'Back to the audit' }).click()
    await waitForAll(page, 4)
    await page.goto(`/console/audit/${idOf(2)}#999999`)
    await page.getByText('The entry of the link is not in this timeline.').waitFor()
  })
})
