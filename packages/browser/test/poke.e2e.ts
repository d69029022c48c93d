import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { acting, expectHeard, expectSaid, expectSession, servedSites } from './support/page.ts'
import type { Visit } from './support/visit.ts'

describe('a tab that arrives while another acts', () => {
  const sites = servedSites()

  /** From now on the page learns nothing from the status list. */
  async function uninformed({ page }: Visit): Promise<string> {
    const uri = await page.evaluate(() =>
      String(JSON.stringify(session?.context.status).match(/[^"]*status-lists[^"]*/)),
    )
    const body = await (await fetch(uri)).text()
    const headers = { 'access-control-allow-origin': '*' }
    await page.route('**/status-lists/*', (route) => route.fulfill({ body, headers }))
    const { items } = await sites.provider.impersonation.list({ state: 'active' })
    return items[0]?.id ?? expect.fail()
  }

  const asks = (page: Page) => page.waitForRequest('**/impersonations/current')

  it('makes it ask the provider: what has ended there gives way at once', async () => {
    await using person = await acting(sites)
    const id = await uninformed(person)
    const link = await sites.link('/', { userId: 'bob' })
    await sites.provider.impersonation.end(id, { by: { sub: 'olivia' } })
    const next = await person.context.newPage()
    const asked = asks(person.page)
    await next.goto(link)
    await expectSaid(next, 'acting as bob')
    await asked
    await expectHeard(person.page, 'ended')
  })

  it('makes it do nothing else: what goes on there goes on here, also in its last minute', async () => {
    await using person = await acting(sites, [], ({ context }) => context.clock.install())
    await uninformed(person)
    const { page } = person
    await page.clock.fastForward(850_000)
    const posts: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') posts.push(request.url())
    })
    const next = await person.context.newPage()
    const asked = asks(page)
    const started = Date.now()
    await next.goto(`/#impersonation=${'x'.repeat(43)}`)
    await asked
    await expectSaid(next, /^already_acting: /)
    expect(Date.now() - started).to.be.within(4500, 15_000)
    for (const message of ['end', { kind: 'ended', state: 'ended' }, null]) {
      const again = asks(page)
      await next.evaluate((data) => {
        new BroadcastChannel('oidc-provider-impersonation').postMessage(data)
      }, message)
      await (await again).response()
    }
    await expectHeard(page, 'expiring')
    await expectSession(page, 'active')
    expect(posts).to.deep.equal([])
    expect(await sites.states()).to.include('active')
  })
})
