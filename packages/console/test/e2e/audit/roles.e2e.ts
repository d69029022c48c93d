import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { impersonation, rowLinks, ticketsOf, waitForAll } from '../support/audit-page.ts'
import { idOf, storePast } from '../support/audit-rows.ts'
import { enter } from '../support/enter.ts'
import { heading, visitDeployment } from '../support/operating.ts'

describe('the roles in the audit', () => {
  let deployment: Deployment

  before(async () => {
    deployment = await deploy()
    const at = Date.now() - 3_600_000
    await storePast(deployment.audit, [
      { at, ticket: 'MINE', operator: 'olivia', objection: 'Who was this?' },
      { at: at + 1000, ticket: 'THEIRS', operator: 'oscar' },
      { at: at + 2000, ticket: 'BOB', operator: 'oscar', customer: 'bob' },
    ])
  })
  after(() => deployment[Symbol.asyncDispose]())

  /** Waits until the page has these buttons, and no others. */
  const buttons = (page: Page, names: readonly string[]) =>
    page.waitForFunction((expected) => {
      const shown = [...document.querySelectorAll('main button')].filter((button) =>
        button.checkVisibility(),
      )
      return JSON.stringify(shown.map((button) => button.textContent)) === expected
    }, JSON.stringify(names))

  it('operators see what they did, without filters and actions of others', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'olivia', '/console/audit')
    await heading(page, 'What I did').waitFor()
    await waitForAll(page, 1)
    expect(await ticketsOf(page)).to.deep.equal(['MINE'])
    for (const label of ['Operator', 'Alarms', 'On hold']) {
      expect(await page.getByLabel(label, { exact: true }).count(), label).to.equal(0)
    }
    expect(await page.getByText('Export', { exact: true }).count()).to.equal(0)
    expect(await page.getByRole('link', { name: 'Alarms' }).count()).to.equal(0)
    await rowLinks(page).click()
    await impersonation(page, 'Olivia Okafor as Alice Ng').waitFor()
    await page.getByText('The time ran out.').waitFor()
    await buttons(page, ['Details', 'Details'])
    expect(await page.getByText('Who was this?').count(), 'the objection').to.equal(0)
  })

  it('operators see who acted as the customer in front of them, and open their own', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    // Conditions for leads are left away.
    await enter(page, 'olivia', '/console/audit?customer=alice&alarm=open&held=true')
    await heading(page, 'Who acted as this customer').waitFor()
    await waitForAll(page, 2)
    expect(await ticketsOf(page)).to.deep.equal(['THEIRS', 'MINE'])
    expect(await rowLinks(page).count()).to.equal(1)
    visit.expectFailure(new RegExp(idOf(1)), 404)
    await page.goto(`/console/audit/${idOf(1)}`)
    await page.getByText('There is no such impersonation').waitFor()
  })

  it('auditors put on hold with a note, and release; they end and acknowledge nothing', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'ada', `/console/audit/${idOf(0)}`)
    await page.getByText('Who was this?').first().waitFor()
    const all = ['Put on hold', 'Prove this', 'Details', 'Details', 'Details']
    await buttons(page, all)
    await page.getByRole('button', { name: 'Put on hold' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Put on hold' }).click()
    await dialog.getByText('Say why.').waitFor()
    await dialog.getByLabel('Note').fill('Case 77')
    await dialog.getByRole('button', { name: 'Put on hold' }).click()
    await page.getByText('It is on hold.').waitFor()
    await page.getByText(/^On hold since .*, by .*Ada Byron/).waitFor()
    await page.getByText('Ada Byron put it on hold.').waitFor()
    await page.getByRole('button', { name: 'Release' }).click()
    await dialog.getByRole('button', { name: 'Release' }).click()
    await page.getByText('It is released.').waitFor()
    await page.getByText('Ada Byron released it.').waitFor()
  })

  it('operators end what they run from its page, and others do not see the button', async () => {
    const running = await deployment.impersonate()
    await deployment.settled()
    await using ada = await visitDeployment(deployment)
    await enter(ada.page, 'ada', `/console/audit/${running.id}`)
    await ada.page.getByText('Running now').first().waitFor()
    expect(await ada.page.getByRole('button', { name: 'End it now' }).count()).to.equal(0)
    await using olivia = await visitDeployment(deployment)
    await enter(olivia.page, 'olivia', `/console/audit/${running.id}`)
    await olivia.page.getByRole('button', { name: 'End it now' }).click()
    await ada.page.getByText('Olivia Okafor, the operator, ended it.').waitFor()
  })
})
