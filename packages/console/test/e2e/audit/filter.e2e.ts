import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { type Deployment, deploy } from '../../support/deployment.ts'
import {
  choosePerson,
  condition,
  openFilter,
  personInput,
  rowLinks,
  ticketsOf,
  waitForAll,
} from '../support/audit-page.ts'
import { storePast } from '../support/audit-rows.ts'
import { enter } from '../support/enter.ts'
import { heading, visitDeployment } from '../support/operating.ts'
import type { Visit } from '../support/visit.ts'

/** Noon of a day in Berlin, where the browser of the tests is. */
const noon = (day: string) => Date.parse(`${day}T12:00:00+01:00`)

describe('the filter of the audit', () => {
  let deployment: Deployment
  let visit: Visit
  let page: Page

  before(async () => {
    deployment = await deploy()
    await storePast(deployment.audit, [
      { at: noon('2026-02-03'), ticket: 'T-1', customer: 'bob', reads: ['/orders'] },
      { at: noon('2026-02-17'), ticket: 'T-2', operator: 'oscar', end: 'requested' },
      { at: noon('2026-02-18'), ticket: 'T-3', refused: ['/email'] },
      {
        at: noon('2026-02-18') + 1000,
        ticket: 'T-4',
        end: 'user',
        reason: 'Lost in the post',
        objection: 'Not me',
      },
    ])
    const old = await deployment.ask('grace', '/audit?ticket=T-2')
    const hold = { note: 'Case 7' }
    await deployment.ask('grace', `/audit/${old.body.rows[0].id}/hold`, hold)
  })
  after(() => deployment[Symbol.asyncDispose]())

  beforeEach(async () => {
    visit = await visitDeployment(deployment)
    page = visit.page
    await enter(page, 'ada', '/console/audit')
    await waitForAll(page, 4)
    await openFilter(page)
  })
  afterEach(() => visit[Symbol.asyncDispose]())

  const search = () => new URL(page.url()).search

  it('finds by each member, says the condition, and has it in the address', async () => {
    const filters: ReadonlyArray<
      [change: () => Promise<unknown>, condition: string, address: string, found: string[]]
    > = [
      [
        () => page.getByLabel('Search', { exact: true }).fill('LOST in'),
        'Search: LOST in',
        '?text=LOST+in',
        ['T-4'],
      ],
      [
        () => choosePerson(page, 'Operator', 'osc', 'Oscar Öhman'),
        'Operator: Oscar Öhman',
        '?operator=oscar',
        ['T-2'],
      ],
      [
        () => choosePerson(page, 'Customer', 'bo', 'Bob Marsh'),
        'Customer: Bob Marsh',
        '?customer=bob',
        ['T-1'],
      ],
      [() => page.getByLabel('Ticket').fill('t-3'), 'Ticket: t-3', '?ticket=t-3', ['T-3']],
      [
        () => page.getByLabel('State').selectOption('Ended by the customer'),
        'State: Ended by the customer',
        '?outcome=user',
        ['T-4'],
      ],
      [
        () => page.getByLabel('Alarms').selectOption('Open alarm'),
        'Open alarm',
        '?alarm=open',
        ['T-4'],
      ],
      [
        () => page.getByLabel('Alarms').selectOption('The customer objected'),
        'The customer objected',
        '?alarm=objection',
        ['T-4'],
      ],
      [
        () => page.getByLabel('Alarms').selectOption('With alarm'),
        'With alarm',
        '?alarm=any',
        ['T-4'],
      ],
      [() => page.getByLabel('On hold').check(), 'On hold', '?held=true', ['T-2']],
    ]
    for (const [change, name, address, found] of filters) {
      await change()
      await waitForAll(page, found.length)
      expect(await ticketsOf(page), name).to.deep.equal(found)
      expect(search()).to.equal(address)
      await condition(page, name).click()
      await waitForAll(page, 4)
      expect(search()).to.equal('')
    }
  })

  it('finds the rows of a month, and of days by the calendar of the browser', async () => {
    await page.getByLabel('When').selectOption('February 2026')
    await waitForAll(page, 4)
    await page.getByLabel('When').selectOption('From – to')
    await page.getByLabel('From').fill('2026-02-18')
    await waitForAll(page, 2)
    await page.getByLabel('To', { exact: true }).fill('2026-02-18')
    await page.waitForURL(/to=2026-02-18T23/)
    await waitForAll(page, 2)
    expect(await ticketsOf(page)).to.deep.equal(['T-4', 'T-3'])
    // The moments of the reader's midnights, in UTC: a reader elsewhere sees the same rows.
    expect(search()).to.equal('?from=2026-02-17T23%3A00Z&to=2026-02-18T23%3A00Z')
    await condition(page, '18 Feb 2026').waitFor()
    await page.reload()
    await waitForAll(page, 2)
    expect(await page.getByLabel('From').inputValue()).to.equal('2026-02-18')
    expect(await page.getByLabel('To', { exact: true }).inputValue()).to.equal('2026-02-18')
  })

  it('finds today and the last seven days, and any time again', async () => {
    const when = page.getByLabel('When')
    for (const name of ['Today', 'Last 7 days']) {
      await when.selectOption(name)
      await page.getByText('Nothing matches the filter.').waitFor()
      expect(await when.locator('option:checked').textContent()).to.equal(name)
    }
    await when.selectOption('Any time')
    await waitForAll(page, 4)
    expect(search()).to.equal('')
  })

  it('goes back and forward with the browser, and a link shows the same to others', async () => {
    const customer = await personInput(page, 'Customer').elementHandle()
    await choosePerson(page, 'Customer', 'ali', 'Alice Ng')
    await waitForAll(page, 3)
    await page.getByLabel('State').selectOption('Ended by support')
    await waitForAll(page, 1)
    const link = page.url()
    await page.goBack()
    await waitForAll(page, 3)
    expect(await page.getByLabel('State').inputValue()).to.equal('')
    await page.goBack()
    await waitForAll(page, 4)
    await page.waitForFunction((input) => Reflect.get(input ?? {}, 'value') === '', customer)
    await page.goForward()
    await waitForAll(page, 3)
    await page.waitForFunction(
      (input) => Reflect.get(input ?? {}, 'value') === 'Alice Ng',
      customer,
    )

    await using other = await visitDeployment(deployment, { timezoneId: 'Asia/Tokyo' })
    await enter(other.page, 'grace', link)
    await waitForAll(other.page, 1)
    expect(await ticketsOf(other.page)).to.deep.equal(['T-2'])
  })

  it('takes people by name and by id, and keeps who was chosen where nobody is found', async () => {
    const operator = personInput(page, 'Operator')
    const listed = page.getByRole('listbox').getByRole('option')
    await operator.fill('o')
    await listed.nth(1).waitFor()
    expect(await operator.getAttribute('aria-expanded')).to.equal('true')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    expect(await operator.getAttribute('aria-activedescendant')).to.equal(null)
    await page.keyboard.press('Escape')
    await listed.first().waitFor({ state: 'detached' })
    expect(await operator.inputValue(), 'Escape closes the list alone').to.equal('o')
    // Two people are found: who leaves has chosen nobody.
    await page.keyboard.press('Tab')
    await page.waitForFunction(
      (input) => Reflect.get(input ?? {}, 'value') === '',
      await operator.elementHandle(),
    )
    expect(search()).to.equal('')
    // Enter takes the first who is found, at once.
    await operator.fill('osca')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/audit?operator=oscar')
    expect(await operator.inputValue()).to.equal('Oscar Öhman')
    await operator.fill('gone-7')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/audit?operator=gone-7')
    await page.getByText('Nothing matches the filter.').waitFor()
    await operator.fill('')
    await page.keyboard.press('Tab')
    await waitForAll(page, 4)
    expect(search()).to.equal('')
  })

  it('makes one step of what is typed in one go', async () => {
    await page.getByLabel('Search', { exact: true }).pressSequentially('lost', { delay: 150 })
    await waitForAll(page, 1)
    await page.getByLabel('Search', { exact: true }).pressSequentially(' in x', { delay: 500 })
    await page.waitForURL('**/audit?text=lost+in+x')
    await page.getByText('Nothing matches the filter.').waitFor()
    await page.goBack()
    await waitForAll(page, 4)
  })

  it('names conditions of the address that it does not understand, and lists nothing', async () => {
    const before = visit.urls.length
    await page.goto('/console/audit?operator=olivia&outcome=bogus&from=yesterday&to=2026-02-31&x=1')
    const alert = page.getByRole('alert').filter({ hasText: 'outcome, from, to, x' })
    await alert.waitFor()
    expect(await rowLinks(page).count()).to.equal(0)
    expect(visit.urls.slice(before).filter((url) => /\/api\/audit\?/.test(url))).to.deep.equal([])
    await page.getByRole('link', { name: 'Clear all' }).click()
    await waitForAll(page, 4)
  })

  it('understands dates in the address as days of the reader, the last one too', async () => {
    await page.goto('/console/audit?from=2026-02-18&to=2026-02-18')
    await waitForAll(page, 2)
    expect(await ticketsOf(page)).to.deep.equal(['T-4', 'T-3'])
    expect(await page.getByLabel('To', { exact: true }).inputValue()).to.equal('2026-02-18')
  })

  it('says what the server refuses', async () => {
    await page.goto(`/console/audit?ticket=${'x'.repeat(500)}`)
    visit.expectFailure(/\/api\/audit\?/, 400)
    await heading(page, 'Audit').waitFor()
    await page.getByRole('alert').filter({ hasText: /./ }).waitFor()
    await page.getByRole('button', { name: 'Clear all' }).click()
    await waitForAll(page, 4)
    expect(await rowLinks(page).count()).to.equal(4)
  })
})
