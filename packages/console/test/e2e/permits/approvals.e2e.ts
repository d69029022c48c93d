import { expect } from 'chai'
import type { Authorize } from 'oidc-provider-impersonation'
import { createPermits, type Permits } from 'oidc-provider-impersonation-console'
import { CUSTOMERS, type Deployment, deploy } from '../../support/deployment.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { enter } from '../support/enter.ts'
import { heading, reads, visitDeployment } from '../support/operating.ts'

const rule: Authorize = ({ scope = '' }) =>
  scope.includes('orders:write') ? { needs: ['second_person'], emergency: true } : true

describe('approvals', function () {
  this.timeout(120_000)
  let permits: Permits
  let deployment: Deployment

  beforeEach(async () => {
    const audit = memoryAudit()
    permits = createPermits({
      ...{ audit, standing: {} },
      approvers: () => [{ id: 'grace', name: 'Grace Lindqvist' }],
    })
    deployment = await deploy({ audit, authorize: permits.wrap(rule), console: { permits } })
  })
  afterEach(async () => {
    await permits.close()
    await deployment[Symbol.asyncDispose]()
  })

  const facts = () => ({
    ...{ customer: 'alice', operator: 'olivia', application: 'shop', ticket: 'SUP-1' },
    ...{ resource: `${deployment.url}/orders`, scope: 'orders:read orders:write' },
    reason: 'The address is wrong',
  })

  /** So many requests of an operator, each for another customer or application. */
  async function ask(operator: string, count: number): Promise<void> {
    const customers = CUSTOMERS.filter((each) => !each.protected && each.id !== 'alice')
    const all = ['shop', 'other'].flatMap((application) =>
      customers.map(({ id }) => ({ application, customer: id })),
    )
    for (const each of all.slice(0, count)) {
      await permits.request({ ...facts(), ...each, operator })
    }
  }

  it('are asked for 60 times in an hour: then the form says when it goes on', async () => {
    await ask('olivia', 60)
    await using olivia = await visitDeployment(deployment)
    const { page } = olivia
    await enter(page, 'olivia', '/console/act?user=alice&ticket=SUP-123&reason=Again')
    olivia.expectFailure('/console/impersonations', 403)
    olivia.expectFailure('/console/permits', 429)
    await heading(page, 'Act as Alice Ng').waitFor()
    await page.getByLabel('Look and change').check()
    await page.getByRole('button', { name: reads('Act as Alice Ng'), exact: true }).click()
    await page.getByRole('button', { name: 'Ask for approval' }).click()
    await page
      .getByText(
        /^You asked very often in the last hour\. You can ask again .*in (?:1 hour|\d\d minutes)/,
      )
      .waitFor()
    expect((await permits.list({ customer: 'alice' })).permits).to.deep.equal([])
  })
})
