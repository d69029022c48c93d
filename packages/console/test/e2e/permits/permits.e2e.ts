import { expect } from 'chai'
import type { Authorize } from 'oidc-provider-impersonation'
import {
  createPermits,
  type Permits,
  type PermitsOptions,
} from 'oidc-provider-impersonation-console'
import type { Page } from 'playwright-core'
import { type Deployment, deploy } from '../../support/deployment.ts'
import { memoryAudit } from '../../support/memory-audit.ts'
import { enter, submitSignIn } from '../support/enter.ts'
import { actIn, goTo, heading, reads, visitDeployment } from '../support/operating.ts'
import { expectGoodLooks } from '../support/pictures.ts'
import { visit } from '../support/visit.ts'

let needsApproval = true

/** A change needs a second person; in Bob's account, Bob himself. */
const rule: Authorize = ({ account, scope = '' }) => {
  if (!needsApproval) return true
  if (account.accountId === 'bob') return { needs: ['user'] }
  return scope.includes('orders:write') ? { needs: ['second_person'], emergency: true } : true
}

const FORM = '/console/act?user=alice&ticket=SUP-123&reason=The+address+is+wrong'
const LEADS = [
  { id: 'grace', name: 'Grace Lindqvist' },
  { id: 'lena', name: 'Lena Lund' },
]

describe('permits', function () {
  this.timeout(120_000)
  let permits: Permits
  let deployment: Deployment

  async function begin(options: Partial<PermitsOptions> = {}): Promise<void> {
    needsApproval = true
    const audit = memoryAudit()
    permits = createPermits({ audit, standing: {}, ...options })
    deployment = await deploy({ audit, authorize: permits.wrap(rule), console: { permits } })
  }
  async function end(): Promise<void> {
    await permits.close()
    await deployment[Symbol.asyncDispose]()
  }
  beforeEach(() => begin({ approvers: () => LEADS }))
  afterEach(end)

  const act = { name: reads('Act as Alice Ng'), exact: true } as const
  const counter = (page: Page) =>
    page.getByRole('navigation').getByText('1 request or emergency waits for you')
  const notice = (page: Page) => page.locator('#news').filter({ hasText: 'Alice' })

  /** Fills in the form for a change, up to what the refusal says. */
  async function tryToChange(page: Page): Promise<void> {
    await heading(page, 'Act as Alice Ng').waitFor()
    await page.getByLabel('Look and change').check()
    await page.getByRole('button', act).click()
    await page.getByRole('heading', { name: 'This needs an approval' }).waitFor()
  }

  const askInCode = (more: object = {}) =>
    permits.request({
      ...{ customer: 'alice', operator: 'olivia', application: 'shop' },
      ...{ resource: `${deployment.url}/orders`, scope: 'orders:read orders:write' },
      ...{ ticket: 'SUP-123', reason: 'The address is wrong' },
      ...more,
    })

  it('an operator asks, a lead approves by keyboard in another browser, the operator acts by one click, and the lead takes it back', async () => {
    await using grace = await visitDeployment(deployment)
    await using olivia = await visitDeployment(deployment)
    await enter(grace.page, 'grace', '/console/audit')
    await enter(olivia.page, 'olivia', FORM)
    olivia.expectFailure('/console/impersonations', 403)
    await tryToChange(olivia.page)
    await olivia.page.getByText(reads('Grace Lindqvist and Lena Lund can decide.')).waitFor()
    await expectGoodLooks(olivia.page, 'permits-ask')
    await olivia.page.getByRole('button', { name: 'Ask for approval' }).click()
    await olivia.page
      .getByText(reads('Grace Lindqvist and Lena Lund were asked, now. You can close this page'))
      .waitFor()
    await goTo(olivia.page, '/console')
    await heading(olivia.page, 'Customers').waitFor()

    await counter(grace.page).waitFor()
    await grace.page
      .getByRole('navigation')
      .getByRole('link', { name: /^Approvals/ })
      .click()
    const card = grace.page
      .getByRole('list', { name: 'To decide' })
      .getByRole('listitem', { name: reads('Olivia Okafor as Alice Ng') })
    await card.getByText('The address is wrong').waitFor()
    await card.getByText('SUP-123').waitFor()
    await card.getByText('Look and change').waitFor()
    await card.getByText('1 hour').waitFor()
    await expectGoodLooks(grace.page, 'permits-to-decide')
    // What is typed stays while another request comes.
    await card.locator('summary', { hasText: 'Approve' }).focus()
    await grace.page.keyboard.press('Enter')
    await grace.page.keyboard.press('Tab')
    await grace.page.keyboard.type('Saw the ticket')
    await askInCode({ customer: 'carla', ticket: 'SUP-9' })
    await grace.page.getByRole('listitem').filter({ hasText: 'SUP-9' }).waitFor()
    await expectGoodLooks(grace.page, 'permits-deciding')
    await grace.page.keyboard.press('Control+Enter')
    await grace.page.getByText('Approved.').waitFor()
    await counter(grace.page).waitFor()

    await notice(olivia.page).getByText(reads('You may act as Alice Ng until')).waitFor()
    const opened = olivia.context.waitForEvent('page')
    await notice(olivia.page).getByRole('button', act).click()
    const tab = await opened
    await actIn(tab, 'olivia', 'alice')
    await olivia.page.mouse.move(0, 0)

    await grace.page
      .getByRole('list', { name: 'In force' })
      .getByRole('link', { name: /^Open/ })
      .click()
    await heading(grace.page, 'Olivia Okafor as Alice Ng').waitFor()
    await grace.page.getByText(reads('Grace Lindqvist approved it')).waitFor()
    await grace.page.getByText('Saw the ticket').waitFor()
    await grace.page.getByRole('table').getByText('SUP-123').waitFor()
    await expectGoodLooks(grace.page, 'permits-page')
    await grace.page.locator('summary', { hasText: 'Take back' }).click()
    await grace.page.getByLabel('Note (not required)').fill('Call them first')
    await grace.page.getByRole('button', { name: 'Take back' }).click()
    await grace.page.getByText(reads('Grace Lindqvist took it back')).waitFor()
    const ended =
      'You no longer act as Alice Ng: Grace Lindqvist ended it, and says: Call them first'
    await olivia.page.getByText(reads(ended)).waitFor()
    const { items } = await deployment.provider.impersonation.list({ state: 'active' })
    expect(items).to.deep.equal([])
    await tab.close()
  })

  it('where the rule needs no approval any more, the form simply starts', async () => {
    await using olivia = await visitDeployment(deployment)
    const { page } = olivia
    await enter(page, 'olivia', FORM)
    olivia.expectFailure('/console/impersonations', 403)
    olivia.expectFailure('/console/permits', 409)
    await tryToChange(page)
    needsApproval = false
    const opened = olivia.context.waitForEvent('page')
    await page.getByRole('button', { name: 'Ask for approval' }).click()
    const tab = await opened
    await actIn(tab, 'olivia', 'alice')
    await tab.close()
  })

  it('a look that runs goes on with changes by the form, which asks for the approval', async () => {
    await deployment.impersonate({ access: 'read', ticket: 'SUP-9' })
    await using olivia = await visitDeployment(deployment)
    const { page } = olivia
    await enter(page, 'olivia', '/console')
    olivia.expectFailure(/\/continue$/, 403)
    await page.getByRole('button', { name: reads('Continue with changes, as Alice Ng') }).click()
    await page.getByText('This needs an approval, so nothing new was started.').waitFor()
    expect(await page.getByText('You may not act as').count()).to.equal(0)
    await page.getByRole('button', { name: 'Go to the form' }).click()
    await page.getByRole('radio', { name: 'Look and change', checked: true }).waitFor()
    await page.getByText(reads('Grace Lindqvist and Lena Lund can decide.')).waitFor()
    expect(await page.getByLabel('Ticket').inputValue()).to.equal('SUP-9')
  })

  it('a refusal is told with its note, and it can be asked again', async () => {
    await using olivia = await visitDeployment(deployment)
    await enter(olivia.page, 'olivia', FORM)
    olivia.expectFailure('/console/impersonations', 403)
    await tryToChange(olivia.page)
    await olivia.page.getByRole('button', { name: 'Ask for approval' }).click()
    await olivia.page.getByText('You can close this page').waitFor()
    const [{ id } = { id: '' }] = (await permits.list({ operator: 'olivia' })).permits
    await permits.refuse(id, { by: 'grace', note: 'Call them first' })
    const form = olivia.page.getByRole('region', { name: 'Refused' })
    await form.getByText(/was refused: .*Call them first/).waitFor()
    expect(await form.getByText('were asked').count()).to.equal(0)
    expect(await form.getByRole('button').count()).to.equal(0)
    await olivia.page.reload()
    await heading(olivia.page, 'Act as Alice Ng').waitFor()
    await olivia.page.getByLabel('Look and change').check()
    await tryToChange(olivia.page)
    await olivia.page.getByRole('button', { name: 'Ask for approval' }).waitFor()
    expect(await olivia.page.getByRole('button', { name: /without/ }).count()).to.equal(0)
  })

  it('an open form follows the decision: one click acts, and what was taken back can be asked again', async () => {
    await using olivia = await visitDeployment(deployment)
    const { page } = olivia
    await enter(page, 'olivia', FORM)
    olivia.expectFailure('/console/impersonations', 403)
    await tryToChange(page)
    const form = page.getByRole('region', { name: /^(?:This needs an approval|Approved)$/ })
    const ask = async () => {
      await form.getByRole('button', { name: 'Ask for approval' }).click()
      await form.getByText('You can close this page').waitFor()
      const { permits: open } = await permits.list({ operator: 'olivia', isAwaited: true })
      return open[0]?.id ?? expect.fail()
    }
    await permits.revoke(await ask(), { by: 'grace' })
    await form.getByText('It was taken back. You can ask again.').waitFor()
    await permits.grant(await ask(), { by: 'grace' })
    await form.getByText(reads('You may act as Alice Ng until')).waitFor()
    expect(await form.getByText('were asked').count()).to.equal(0)
    expect(await form.getByRole('button', { name: 'Act without approval' }).count()).to.equal(0)
    await expectGoodLooks(page, 'permits-form-granted')
    const opened = olivia.context.waitForEvent('page')
    await form.getByRole('button', act).click()
    const tab = await opened
    await actIn(tab, 'olivia', 'alice')
    await tab.close()
  })

  it('what ended under a permit is not offered to continue once that is taken back', async () => {
    const { id } = await askInCode()
    await permits.grant(id, { by: 'grace' })
    const { end: endIt } = await deployment.impersonate({ ticket: 'SUP-123' })
    await endIt()
    await deployment.settled()
    await using olivia = await visitDeployment(deployment)
    const { page } = olivia
    await enter(page, 'olivia', '/console')
    const goOn = page.getByRole('button', { name: reads('Continue for SUP-123, as Alice Ng') })
    await goOn.waitFor()
    await permits.revoke(id, { by: 'grace' })
    await goOn.waitFor({ state: 'detached' })
  })

  it('that the customer was asked, too, is said; what they refused names its ticket to them', async () => {
    await permits.setStanding('alice', 'ask')
    await using olivia = await visitDeployment(deployment)
    await enter(olivia.page, 'olivia', FORM)
    olivia.expectFailure('/console/impersonations', 403)
    await tryToChange(olivia.page)
    await olivia.page.getByRole('button', { name: 'Ask for approval' }).click()
    await olivia.page
      .getByText(reads('and Lena Lund were asked, now. The customer was asked, now. You can close'))
      .waitFor()
    const [{ id } = { id: '' }] = (await permits.list({ operator: 'olivia' })).permits
    await permits.refuse(id, { by: 'alice' })
    await using alice = await visit(deployment.url)
    await alice.page.goto('/account')
    await alice.page.getByRole('button', { name: 'Sign in' }).click()
    await submitSignIn(alice.page, 'alice')
    const refused = alice.page.getByRole('listitem').filter({ hasText: 'You did not let' })
    await refused.getByText('SUP-123').waitFor()
  })

  it('that there is no one who could decide is said at once', async () => {
    await end()
    await begin({ approvers: () => [] })
    await using olivia = await visitDeployment(deployment)
    await enter(olivia.page, 'olivia', FORM)
    olivia.expectFailure('/console/impersonations', 403)
    await tryToChange(olivia.page)
    await olivia.page.getByText('There is no person who could decide now.').waitFor()
    expect(await olivia.page.getByRole('button', { name: 'Ask for approval' }).count()).to.equal(0)
    expect(await olivia.page.getByRole('button', { name: /without/ }).count()).to.equal(0)
  })

  it('an emergency begins at once, is red until a lead has looked at it, with a note', async () => {
    await using grace = await visitDeployment(deployment)
    await using olivia = await visitDeployment(deployment)
    await enter(grace.page, 'grace', '/console/approvals')
    await enter(olivia.page, 'olivia', FORM)
    olivia.expectFailure('/console/impersonations', 403)
    await tryToChange(olivia.page)
    await olivia.page.getByRole('button', { name: 'Act without approval' }).click()
    const dialog = olivia.page.getByRole('dialog')
    await dialog.getByLabel('Note').fill('The shop is down')
    const opened = olivia.context.waitForEvent('page')
    await dialog.getByRole('button', { name: 'Act without approval' }).click()
    const tab = await opened
    await actIn(tab, 'olivia', 'alice')

    const card = grace.page.getByRole('list', { name: 'To look at' }).getByRole('listitem')
    await card.getByText('Without approval').waitFor()
    await card.getByText('The shop is down').waitFor()
    await counter(grace.page).waitFor()
    await expectGoodLooks(grace.page, 'permits-review')
    await card.getByRole('link', { name: /^Open/ }).click()
    await grace.page.getByLabel('Note', { exact: true }).fill('It was')
    await grace.page.getByRole('button', { name: /^I looked at it/ }).click()
    await counter(grace.page).waitFor({ state: 'detached' })
    await tab.close()
  })

  it('an emergency whose tab the browser blocks is not stored', async () => {
    await using olivia = await visitDeployment(deployment)
    const { page } = olivia
    await enter(page, 'olivia', FORM)
    olivia.expectFailure('/console/impersonations', 403)
    await tryToChange(page)
    await page.evaluate(() => Object.assign(window, { open: () => null }))
    await page.getByRole('button', { name: 'Act without approval' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Note').fill('The shop is down')
    await dialog.getByRole('button', { name: 'Act without approval' }).click()
    await page.getByText('The browser blocked the new tab, so nothing was started.').waitFor()
    const { permits: stored } = await deployment.audit.permits({ customer: 'alice' }, { limit: 9 })
    expect(stored).to.deep.equal([])
  })

  it('a customer allows and takes back a request, and answers for all of them', async () => {
    await askInCode({ customer: 'bob' })
    await using bob = await visit(deployment.url)
    const { page } = bob
    await page.goto('/account')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await submitSignIn(page, 'bob')
    const asked = page.getByRole('region', { name: 'What support asks you' })
    await asked.getByRole('heading', { name: reads('Olivia Okafor asks to act as you') }).waitFor()
    expect(await page.getByText('The address is wrong').count(), 'the reason').to.equal(0)
    await expectGoodLooks(page, 'permits-account')
    await asked.getByRole('button', { name: /^Allow/ }).click()
    await asked.getByText(reads('Olivia Okafor may act as you')).waitFor()
    const running = await deployment.impersonate({ customer: 'bob' })
    await asked.getByRole('button', { name: /^Take it back/ }).click()
    await page.getByText('You took it back.').waitFor()
    const stateOf = async (id: string) => (await deployment.provider.impersonation.get(id))?.state
    expect(await stateOf(running.id)).to.equal('ended')

    const standing = page.getByRole('region', { name: 'Support may act in your account' })
    await standing.getByText('Support asks you where its rules say so.').waitFor()
    expect(await standing.getByRole('radio', { checked: true }).count()).to.equal(0)
    await standing.getByLabel('Yes, support may help without asking').check()
    expect((await permits.standing('bob')).choice, 'a choice is saved by a button').to.equal('rule')
    await standing.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Support may act in your account until you say otherwise.').waitFor()
    const other = await deployment.impersonate({ customer: 'bob' })
    await standing.getByLabel('No, ask me each time').check()
    await standing.getByRole('button', { name: 'Save' }).click()
    await page.getByText('support asks you each time').waitFor()
    expect(await stateOf(other.id)).to.equal('ended')
  })

  it('a customer allows a look, which the operator starts from the card, for as long as was asked', async () => {
    await using olivia = await visitDeployment(deployment)
    const { page } = olivia
    await enter(page, 'olivia', '/console/act?user=bob&ticket=SUP-2&reason=Where+is+it')
    olivia.expectFailure('/console/impersonations', 403)
    await heading(page, 'Act as Bob Marsh').waitFor()
    await page.getByText('It needs the approval of the customer.').waitFor()
    await page.getByRole('group', { name: 'For how long' }).getByLabel('5 minutes').check()
    await page.getByRole('button', { name: reads('Act as Bob Marsh'), exact: true }).click()
    await page.getByRole('button', { name: 'Ask for approval' }).click()
    await page.getByText('You can close this page').waitFor()
    await using bob = await visit(deployment.url)
    await bob.page.goto('/account')
    await bob.page.getByRole('button', { name: 'Sign in' }).click()
    await submitSignIn(bob.page, 'bob')
    const asked = bob.page.getByRole('region', { name: 'What support asks you' })
    await asked.getByText('Look only').waitFor()
    expect(await asked.getByText('Look and change').count()).to.equal(0)
    await asked.getByRole('button', { name: /^Allow/ }).click()
    await goTo(page, '/console/approvals')
    const card = page.getByRole('list', { name: 'Your requests' }).getByRole('listitem')
    await card.getByText('Look only').waitFor()
    const opened = olivia.context.waitForEvent('page')
    await card.getByRole('button', { name: reads('Act as Bob Marsh'), exact: true }).click()
    const tab = await opened
    await actIn(tab, 'olivia', 'bob')
    const { items } = await deployment.provider.impersonation.list({ state: 'active' })
    expect(items.map(({ scope, context }) => [scope, context])).to.deep.equal([
      ['orders:read', { ...items[0]?.context, access: 'read', duration: 300, ticketId: 'SUP-2' }],
    ])
    await tab.close()
  })

  it('without permits, the console has no page of them, and a refusal stays one', async () => {
    await end()
    deployment = await deploy({ authorize: rule })
    await using olivia = await visitDeployment(deployment)
    await enter(olivia.page, 'olivia', FORM)
    olivia.expectFailure('/console/impersonations', 403)
    await heading(olivia.page, 'Act as Alice Ng').waitFor()
    expect(await olivia.page.getByRole('link', { name: /^Approvals/ }).count()).to.equal(0)
    await olivia.page.getByLabel('Look and change').check()
    await olivia.page.getByRole('button', act).click()
    await olivia.page.getByText(reads('You may not act as Alice Ng.')).waitFor()
  })
})
