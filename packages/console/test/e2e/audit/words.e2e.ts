import { expect } from 'chai'
import { until } from '../../features/notices/until.ts'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { timeline, timelineOf } from '../support/audit-page.ts'
import { idOf, storePast } from '../support/audit-rows.ts'
import { enter } from '../support/enter.ts'
import { visitDeployment } from '../support/operating.ts'
import { expectGoodLooks } from '../support/pictures.ts'

describe('what the deployment says of a request', () => {
  let deployment: Deployment

  before(async () => {
    deployment = await deploy({
      console: {
        account: {
          clientId: 'customer-account',
          describe({ path }, language) {
            if (path === '/throws') throw new Error('no words')
            if (path === '/email') return 'Tried to change the e-mail address'
            const [looked, changed] =
              language === 'de'
                ? ['Bestellungen angesehen', 'Bestellung <b>7</b> geändert']
                : ['Looked at the orders', 'Changed order <b>7</b>']
            return path === '/orders' ? looked : changed
          },
        },
      },
    })
    await storePast(deployment.audit, [
      {
        at: Date.now() - 3_600_000,
        ...{
          reads: ['/orders', '/orders', '/throws'],
          changes: ['/orders/7'],
          refused: ['/email'],
        },
        end: 'requested',
      },
    ])
  })
  after(() => deployment[Symbol.asyncDispose]())

  it('stands first in the timeline, and what was requested in its details', async () => {
    for (const person of ['olivia', 'ada']) {
      await using visit = await visitDeployment(deployment)
      const { page } = visit
      await enter(page, person, `/console/audit/${idOf(0)}`)
      await page.getByText('Olivia Okafor, the operator, ended it.').waitFor()
      const lines = await timelineOf(page)
      const told = lines.map((each) => each.replaceAll(/\d\d:\d\d:\d\d ?/g, ''))
      expect(told.slice(2, 6)).to.deep.equal([
        'Looked at the orders 2 times, from to ',
        'GET /throws answered 200',
        'Changed order <b>7</b>',
        'Tried to change the e-mail address refused not while acting',
      ])
      const entry = page.getByRole('listitem').filter({ hasText: 'Changed order' })
      expect(await entry.getByText('PUT /orders/7').count()).to.equal(0)
      await entry.getByRole('button', { name: 'Details' }).click()
      await entry.getByText('PUT /orders/7').first().waitFor()
      await entry.getByText('answered 204').waitFor()
      if (person === 'ada') await expectGoodLooks(page, 'words')
    }
  }).timeout(90_000)

  it('is in the language of the reader', async () => {
    await using visit = await visitDeployment(deployment, { locale: 'de-DE' })
    const { page } = visit
    await enter(page, 'ada', `/console/audit/${idOf(0)}`)
    await page.getByText('Bestellung <b>7</b> geändert').waitFor()
  })
})

describe('a notice in the timeline', () => {
  it('is one line, which opens what was stored of the attempt', async () => {
    const sent: unknown[] = []
    const notices = { send: (notice: unknown) => sent.push(notice), digest: 0 }
    await using deployment = await deploy({ console: { notices } })
    const { id } = await deployment.impersonate()
    const told = async () => (await deployment.audit.row(id))?.notice?.settled.includes('started')
    await until(async () => (await told()) === true)
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'ada', `/console/audit/${id}`)
    const line = timeline(page).locator('summary')
    await line.getByText('The customer was told.').waitFor()
    const begun = page.getByText('The customer is being told.')
    expect(await begun.isVisible()).to.equal(false)
    await line.click()
    await begun.waitFor()
  })
})
