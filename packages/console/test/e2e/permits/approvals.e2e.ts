import { expect } from 'chai'
import type { Authorize } from 'oidc-provider-impersonation'
import {
  createPermits,
  type Permits,
  type StandingChoice,
} from 'oidc-provider-impersonation-console'
import { CUSTOMERS, type Deployment, deploy } from '../../support/deployment.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { enter, submitSignIn } from '../support/enter.ts'
import { heading, reads, visitDeployment } from '../support/operating.ts'
import { expectGoodLooks } from '../support/pictures.ts'
import { visit } from '../support/visit.ts'

const rule: Authorize = ({ scope = '' }) =>
  scope.includes('orders:write') ? { needs: ['second_person'], emergency: true } : true

describe('approvals', function () {
  this.timeout(120_000)
  let permits: Permits
  let deployment: Deployment
  let offers: readonly StandingChoice[]

  beforeEach(async () => {
    const audit = memoryAudit()
    offers = ['day', 'always']
    permits = createPermits({
      ...{ audit, standing: { offers: () => offers } },
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
      await permits.request({ ...facts(), ...each, operator, for: 600 })
    }
  }

  it('begin with what is to be reviewed, however many requests are newer, and say that there are more than 100', async () => {
    await permits.emergency(facts())
    await ask('olivia', 55)
    await ask('oscar', 55)
    await using grace = await visitDeployment(deployment)
    const { page } = grace
    await enter(page, 'grace', '/console/approvals')
    const review = page.getByRole('list', { name: 'To look at' }).getByRole('listitem')
    await review.getByText('Without approval').waitFor()
    await page.getByRole('list', { name: 'To decide' }).getByRole('listitem').nth(99).waitFor()
    expect(
      await page.getByRole('main').getByRole('heading', { level: 2 }).allTextContents(),
    ).to.include.ordered.members(['To look at', 'To decide'])
    const navigation = page.getByRole('navigation')
    await navigation.getByText('More than 100 requests or emergencies wait for you').waitFor()
    await navigation.getByText('>100').waitFor()
    await page.getByRole('button', { name: 'Show older ones' }).click()
    await page.getByRole('list', { name: 'To decide' }).getByRole('listitem').nth(109).waitFor()
    expect(await review.count()).to.equal(1)
    expect(await page.getByText('Without approval', { exact: true }).count()).to.equal(1)
  })

  it('are asked for 60 times in an hour: then the form says when it goes on', async () => {
    await ask('olivia', 60)
    await using olivia = await visitDeployment(deployment)
    const { page } = olivia
    await enter(page, 'olivia', '/console/act?user=alice&ticket=SUP-123&reason=Again')
    olivia.expectFailure('/console/api/impersonations', 403)
    olivia.expectFailure('/console/api/permits', 429)
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

  it('of a customer: an answer that holds and is not offered any more is said, and cannot be chosen', async () => {
    await permits.setStanding('bob', 'always')
    offers = ['day']
    await using bob = await visit(deployment.url)
    const { page } = bob
    await page.goto('/account')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await submitSignIn(page, 'bob')
    const standing = page.getByRole('region', { name: 'Support may act in your account' })
    await standing
      .getByText(reads('At the moment, this holds: Always. You cannot choose it.', 'exact'))
      .waitFor()
    const values = () =>
      standing.getByRole('radio').evaluateAll((all) => all.map((one) => one.getAttribute('value')))
    expect(await values()).to.deep.equal(['ask', 'day'])
    expect(await standing.getByRole('radio', { checked: true }).count()).to.equal(0)
    await expectGoodLooks(page, 'account-not-offered')
    await standing.getByLabel('No, ask me each time').check()
    await standing.getByRole('button', { name: 'Save' }).click()
    await page.getByText('From now on, support asks you each time.').waitFor()
    await standing.getByText('At the moment, this holds').waitFor({ state: 'detached' })
    await standing.getByRole('radio', { name: 'No, ask me each time', checked: true }).waitFor()
  })
})
