import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { impersonationUrl } from '../src/link.ts'
import {
  endSession,
  expectHeard,
  expectSaid,
  expectSession,
  operating,
  optionsOf,
  scriptOf,
  servedSites,
} from './support/page.ts'
import { type Visit, visit } from './support/visit.ts'

const OPAQUE = 'https://opaque.example'
/** From the end at the provider until the customer's data is out of sight. */
const PROMISED_MS = 8000

interface Acting {
  readonly page: Page
  readonly id: string
}

describe('a review', () => {
  let isWanted = true
  const sites = servedSites({
    impersonation: { authorize: () => (isWanted ? { review: 'emergency' } : true) },
  })

  it('is known to the session a moment after it began, and only where the rule wants one', async () => {
    for (isWanted of [true, false]) {
      await using person = await operating(sites)
      const { page } = person
      const asked = page.waitForResponse('**/impersonations/current')
      await page.goto(await sites.link())
      await expectSaid(page, /^acting as /)
      await (await asked).finished()
      await page.waitForFunction(
        (isToBeReviewed) => globalThis.session?.isToBeReviewed === isToBeReviewed,
        isWanted,
      )
    }
  })
})

describe('an end that comes elsewhere', () => {
  const opaque = { scope: 'orders:read', accessTokenFormat: 'opaque', accessTokenTTL: 900 } as const
  const sites = servedSites({ resources: { [OPAQUE]: opaque } })

  async function act({ context, page }: Visit, resource = sites.resource): Promise<Acting> {
    await sites.signIn(context)
    const { subjectToken } = await sites.issue({ resource })
    await page.goto(impersonationUrl(`${sites.application.url}/`, { subjectToken }))
    await expectSaid(page, /^acting as /)
    const { items } = await sites.provider.impersonation.list({ state: 'active' })
    return { page, id: items[0]?.id ?? expect.fail() }
  }

  /** Waits for the cover, and answers what it says: all that can be read in the page. */
  async function covered(page: Page, since: number): Promise<string> {
    await page.getByRole('dialog').waitFor()
    expect(Date.now() - since).to.be.at.most(PROMISED_MS)
    expect(await page.locator('#said').isVisible()).to.equal(false)
    const readable = await page.locator('body').ariaSnapshot()
    expect(readable).to.not.include('acting as alice')
    return readable
  }

  // errors.test.ts has the words for each end.
  for (const [how, end, says] of [
    ['by the customer', { by: { sub: 'alice' }, cause: 'user' }, 'The customer ended it.'],
    ['by a lead', { by: { sub: 'lea' } }, 'Another person ended it.'],
  ] as const) {
    for (const [what, resource] of [
      ['a JWT', undefined],
      ['an opaque token', OPAQUE],
    ] as const) {
      it(`${how}: the page is covered within 8 s, and says so (${what})`, async () => {
        sites.application.script = scriptOf(sites, resource ? { resource } : {})
        await using person = await visit(sites)
        const acting = await act(person, resource)
        const requests: string[] = []
        acting.page.on('request', (request) => requests.push(new URL(request.url()).pathname))
        await sites.provider.impersonation.end(acting.id, end)
        expect(await covered(acting.page, Date.now())).to.include(says)
        await expectHeard(acting.page, 'ended')
        const asked = requests.filter((path) => path.endsWith('/impersonations/current'))
        // With a status, the list is read, and the provider is asked once.
        if (!resource) expect(asked).to.have.length(1)
      })
    }
  }

  it('of which the provider does not know how: its record is gone', async () => {
    sites.application.script = scriptOf(sites, { resource: OPAQUE })
    await using person = await visit(sites)
    const { page } = await act(person, OPAQUE)
    person.expectFailure('/oidc/impersonations/current', 401)
    const token = await page.evaluate(() => session?.accessToken ?? '')
    await (await sites.provider.AccessToken.find(token))?.destroy()
    expect(await covered(page, Date.now())).to.include('not known by whom')
  })

  it('is known at once when the window gets the focus, or is online again', async () => {
    for (const event of ['focus', 'online', 'pageshow']) {
      await using person = await visit(sites)
      const { page, id } = await act(person)
      // The list tells nothing.
      await page.route('**/status-lists/*', () => {})
      await sites.provider.impersonation.end(id)
      await page.evaluate((type) => dispatchEvent(new Event(type)), event)
      await page.getByRole('dialog').waitFor()
    }
  })

  it('does not come by an outage, and is seen when the provider is back', async function () {
    this.timeout(90_000)
    await using person = await visit(sites)
    const { page, id } = await act(person)
    const outage = /status-lists|impersonations\/current$/
    const list = await page.evaluate(() =>
      String(JSON.stringify(session?.context.status).match(/[^"]*status-lists[^"]*/)),
    )
    let asked = 0
    for (const [status, challenge] of [
      [undefined],
      [403],
      [429],
      [500],
      [401, 'DPoP error="use_dpop_nonce"'],
      // Of a proxy.
      [401],
    ] as const) {
      for (const path of ['/oidc/impersonations/current', new URL(list).pathname]) {
        person.expectFailure(path, status)
      }
      await page.route(outage, async (route) => {
        if (route.request().url().endsWith('current')) asked += 1
        if (!status) return route.abort()
        const headers = {
          'access-control-allow-origin': '*',
          'access-control-expose-headers': 'www-authenticate',
          ...(challenge && { 'www-authenticate': challenge }),
        }
        await route.fulfill({ status, headers })
      })
      for (const event of ['focus', 'online']) {
        const before = asked
        await page.evaluate((type) => dispatchEvent(new Event(type)), event)
        while (asked === before) await new Promise((resolve) => setTimeout(resolve, 20))
      }
      // And by the list, which is not there.
      const before = asked
      while (asked === before) await new Promise((resolve) => setTimeout(resolve, 50))
      await expectHeard(page)
      await expectSession(page, 'active')
      expect(await page.getByText('acting as alice').isVisible()).to.equal(true)
      await page.unroute(outage)
    }
    await sites.provider.impersonation.end(id, { cause: 'user' })
    expect(await covered(page, Date.now())).to.include('The customer ended it.')
  })

  it('leaves what the operator typed to be copied, and Escape opens nothing', async () => {
    sites.application.script = scriptOf(sites).replace(
      /const options = .*/,
      `const options = { ...${JSON.stringify(optionsOf(sites))}, drafts: () => 'a <b>note</b>' }`,
    )
    await using person = await visit(sites)
    await person.context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const { page } = await act(person)
    await endSession(page)
    expect(await covered(page, Date.now())).to.include('You ended it.')
    await page.getByRole('button', { name: 'Copy what I typed' }).click()
    await page.getByRole('status').getByText('Copied.').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).to.equal('a <b>note</b>')
    for (let times = 0; times < 3; times += 1) {
      await page.keyboard.press('Escape')
      expect(await page.locator('#said').isVisible()).to.equal(false)
      await page.getByRole('dialog').waitFor()
    }
  })

  it('is covered by the application itself where it says cover: false', async () => {
    sites.application.script = scriptOf(sites, { cover: false })
    await using person = await visit(sites)
    const { page, id } = await act(person)
    await sites.provider.impersonation.end(id, { cause: 'user' })
    await page.waitForFunction(() => globalThis.happened.includes('ended'))
    expect(await page.evaluate(() => session?.ending)).to.deep.equal({
      cause: 'user',
      by: 'customer',
    })
    expect(await page.getByRole('dialog').count()).to.equal(0)
  })
})
