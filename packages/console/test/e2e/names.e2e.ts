import { expect } from 'chai'
import type { Authorize } from 'oidc-provider-impersonation'
import { createPermits, type Permits } from 'oidc-provider-impersonation-console'
import type { Page } from 'playwright-core'
import { type Deployment, deploy, STAFF } from '../support/deployment.ts'
import { memoryAudit } from '../support/memory-audit.ts'
import { expectAccessible } from './support/axe.ts'
import { enter } from './support/enter.ts'
import { visitDeployment } from './support/operating.ts'

interface AXNode {
  readonly ignored: boolean
  readonly role?: { readonly value?: string }
  readonly name?: { readonly value?: string }
  readonly description?: { readonly value?: string }
}

const CONTROLS = new Set([
  'button',
  'link',
  'textbox',
  'searchbox',
  'combobox',
  'checkbox',
  'radio',
])

/** Controls of the accessibility tree without a name, or with the same words twice. */
async function badNames(page: Page): Promise<string[]> {
  const client = await page.context().newCDPSession(page)
  const { nodes }: { nodes: AXNode[] } = await client.send('Accessibility.getFullAXTree')
  const plain = (text: string | undefined = '') => text.replaceAll(/[\u2066-\u2069*]/g, '').trim()
  const controls = nodes.filter(({ ignored, role }) => !ignored && CONTROLS.has(role?.value ?? ''))
  expect(controls.length, page.url()).to.be.above(2)
  return controls.flatMap(({ role, name, description }) => {
    const [said, about] = [plain(name?.value), plain(description?.value)]
    const words = said.toLocaleLowerCase().split(/\s+/)
    const isDoubled = words.some((word, index) => word.length > 2 && word === words[index + 1])
    const isBad = said === '' || isDoubled || (about !== '' && said.includes(about))
    return isBad ? [`${page.url()}: ${role?.value} “${said}” “${about}”`] : []
  })
}

const rule: Authorize = ({ scope = '' }) =>
  scope.includes('orders:write') ? { needs: ['second_person'], emergency: true } : true

describe('what screen readers are told', function () {
  this.timeout(180_000)
  let permits: Permits
  let deployment: Deployment

  before(async () => {
    const audit = memoryAudit()
    permits = createPermits({ audit, approvers: () => [{ id: 'grace', name: STAFF.grace?.name }] })
    deployment = await deploy({
      ...{ audit, authorize: permits.wrap(rule) },
      console: { permits },
    })
    const running = await deployment.impersonate({ access: 'read' })
    await running.look()
    await deployment.settled()
    const facts = {
      ...{ customer: 'bob', operator: 'olivia', application: 'shop', reason: 'The parcel' },
      ...{ resource: `${deployment.url}/orders`, scope: 'orders:read orders:write' },
    }
    await permits.request({ ...facts, ticket: 'SUP-1' })
    await permits.emergency({ ...facts, operator: 'oscar', ticket: 'SUP-2' })
  })
  after(async () => {
    await permits.close()
    await deployment[Symbol.asyncDispose]()
  })

  const PAGES = {
    grace: [
      '',
      '/customers',
      '/running',
      '/approvals',
      '/approvals/history',
      '/audit',
      '/alarms',
      '/rules',
    ],
    olivia: ['/customers/alice', '/act?user=bob', '/running', '/approvals', '/audit'],
  }
  for (const [person, paths] of Object.entries(PAGES)) {
    it(`names each control once, on every page of ${person}`, async () => {
      await using visit = await visitDeployment(deployment)
      const { page } = visit
      for (const path of paths) {
        await enter(page, person, `/console${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.waitForLoadState('networkidle', { timeout: 2000 }).catch(() => {})
        expect(await badNames(page)).to.deep.equal([])
        await expectAccessible(page)
      }
    })
  }

  it('names each control once on the account page', async () => {
    await using visit = await visitDeployment(deployment)
    await enter(visit.page, 'alice', '/account')
    await visit.page.getByRole('heading', { level: 1 }).waitFor()
    expect(await badNames(visit.page)).to.deep.equal([])
    await expectAccessible(visit.page)
  })

  it('says which note is required, and the title of what was approved', async () => {
    await using visit = await visitDeployment(deployment)
    const { page } = visit
    await enter(page, 'olivia', '/console/act?user=carla&ticket=SUP-9&reason=Help&access=change')
    await page.getByLabel('Look and change').check()
    visit.expectFailure('/console/impersonations', 403)
    await page.getByRole('button', { name: 'Act as' }).click()
    await page.getByRole('heading', { name: 'This needs an approval' }).waitFor()
    await page.getByRole('button', { name: 'Act without approval' }).click()
    const note = page.getByRole('dialog').getByRole('textbox')
    expect(await note.evaluate((input) => input.matches('form :required'))).to.equal(true)
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Ask for' }).click()
    await page.getByText(/were asked|was asked/).waitFor()
    const { body } = await deployment.ask('grace', '/approvals')
    const asked = body.permits.find((each: { ticket: string }) => each.ticket === 'SUP-9')
    await permits.grant(asked.id, { by: 'grace' })
    await page.getByRole('heading', { name: 'Approved' }).waitFor()
    expect(await page.getByRole('heading', { name: 'This needs an approval' }).count()).to.equal(0)
  })
})
