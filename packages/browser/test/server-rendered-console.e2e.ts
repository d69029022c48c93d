import { expect } from 'chai'
import Koa from 'koa'
import { supportConsole, supportConsoleClient } from 'oidc-provider-impersonation-console'
import { createSqliteAudit } from 'oidc-provider-impersonation-console/audit/sqlite'
import type { Page } from 'playwright-core'
import { type ServerRendered, serverRendered } from '../../../test/docs/server-rendered-app.ts'
import { enter } from '../../console/test/e2e/support/enter.ts'
import { heading, pressAct, reads, strip } from '../../console/test/e2e/support/operating.ts'
import { type Visit, visit } from '../../console/test/e2e/support/visit.ts'
import { addSession } from './support/session-cookies.ts'
import { listening } from './support/site.ts'

const NAMES: Readonly<Record<string, string>> = { alice: 'Alice Ng', bob: 'Bob Marsh' }
const customers = Object.entries(NAMES).map(([id, name]) => ({ id, name }))

const link = (user: string) => `/console/act?user=${user}&ticket=SUP-123&reason=An%20order`

describe('docs/server-rendered.md behind the support console', () => {
  let site: Awaited<ReturnType<typeof listening>>
  let shop: ServerRendered
  let support: ReturnType<typeof supportConsole>

  before(async () => {
    // Console, provider and shop have an origin each.
    site = await listening('127.0.0.1')
    shop = await serverRendered({
      host: 'localhost',
      backOffice: site.url,
      clients: [supportConsoleClient({ url: site.url })],
      configuration: {
        claims: { openid: ['sub'], profile: ['name'], email: ['email'] },
        async loadExistingGrant({ oidc: { client, provider, session } }) {
          const accountId = session?.accountId
          const grant = new provider.Grant({ clientId: client?.clientId, accountId })
          grant.addOIDCScope('openid profile email')
          await grant.save()
          return grant
        },
      },
    })
    support = supportConsole(shop.deployment.provider, {
      clientId: 'support-console',
      issueAs: 'backend',
      url: site.url,
      role: ({ accountId }) => (accountId === 'olivia' ? 'operator' : undefined),
      customers: {
        get: (id) => customers.find((customer) => customer.id === id),
        search: () => ({ customers, more: false }),
      },
      applications: shop.applications,
      audit: createSqliteAudit({ file: ':memory:' }),
    })
    await support.check()
    const app = new Koa()
    app.use(support)
    site.server.on('request', app.callback())
  })
  after(async () => {
    support.endStreams()
    await site[Symbol.asyncDispose]()
    await support.close()
    await shop[Symbol.asyncDispose]()
  })

  /** An empty browser, in which olivia is signed in at the provider. */
  async function operator(): Promise<Visit> {
    const person = await visit(site.url, { origins: [shop.origin, shop.deployment.base] })
    await addSession(person.context, shop.deployment)
    return person
  }

  async function act(page: Page, user: string): Promise<Page> {
    await enter(page, 'olivia', link(user))
    await heading(page, `Act as ${NAMES[user]}`).waitFor()
    return pressAct(page, NAMES[user])
  }

  it('acts by a click: the page shows the customer and the banner, and End ends', async () => {
    await using person = await operator()
    const { page } = person
    const tab = await act(page, 'alice')
    await tab.waitForURL(`${shop.origin}/orders`)
    await tab.getByText('olivia acts as alice').waitFor()
    await tab.getByText('Ticket SUP-123').waitFor()
    await tab.getByText('beans of alice, seen by olivia').waitFor()
    expect(await tab.evaluate(() => document.cookie)).to.equal('')
    const cookies = await tab.context().cookies(shop.origin)
    expect(cookies.map(({ name }) => name)).to.deep.equal(['__Host-impersonation'])
    await strip(page).getByText(reads("You're acting as Alice Ng")).waitFor()

    const token = (await person.tokens.seen()).find(({ name }) => name === 'impersonation')
    expect(token, 'no token was handed over').not.to.equal(undefined)
    expect(person.urls.join()).not.to.include(token?.value)
    expect(shop.log()).not.to.include(token?.value)
    expect(await tab.evaluate(() => window.opener)).to.equal(null)

    await tab.getByRole('button', { name: 'End' }).click()
    await tab.getByText('Acting has ended. olivia acted as alice.').waitFor()
    expect(await tab.context().cookies(shop.origin)).to.deep.equal([])
    await strip(page).getByText(reads("You're acting as Alice Ng")).waitFor({ state: 'hidden' })
  })
})
