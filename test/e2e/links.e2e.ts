import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { SHOP_CLIENT_ID } from '../../example-provider/clients.ts'
import { goTo } from '../../packages/console/test/e2e/support/operating.ts'
import '../../packages/console/test/e2e/support/disposal.ts'
import { browser } from '../../packages/console/test/e2e/support/browser.ts'
import { type StartedExample, startExampleHere } from './support/server.ts'
import { linkTo } from './support/shop.ts'
import { enter } from './support/sign-in.ts'

const CONSOLE = /^\/console(?:\/|$)/
const ACT = { application: SHOP_CLIENT_ID, reason: 'The parcel did not arrive', access: 'change' }

/** Each link of each page leads to a page, for each person who sees it. */
describe('the links of the example', function () {
  this.timeout(300_000)
  let example: StartedExample

  before(async () => {
    example = await startExampleHere()
  })
  after(() => example[Symbol.asyncDispose]())

  /** A person at a machine of their own, and what went wrong there. */
  interface Visitor extends AsyncDisposable {
    readonly page: Page
    readonly context: BrowserContext
    readonly faults: string[]
    /** Resolves when the page that is shown has what it asked for. */
    settled(): Promise<void>
    /** Asks the API of the console, as its page does. Answers the id of the permit. */
    ask(path: string, body: object): Promise<string>
  }

  async function sitDown(): Promise<Visitor> {
    const options = { baseURL: example.url, locale: 'en-GB', reducedMotion: 'reduce' } as const
    const context = await (await browser()).newContext(options)
    context.setDefaultTimeout(20_000)
    const faults: string[] = []
    const underWay = new Set<object>()
    const isStream = (url: string) => url.endsWith('/stream')
    context.on('weberror', (error) => faults.push(String(error.error())))
    let authorization = ''
    context.on('request', (request) => {
      if (!isStream(request.url())) underWay.add(request)
      if (request.url().includes('/console/api/')) {
        authorization = request.headers().authorization ?? authorization
      }
    })
    const over = (request: object) => underWay.delete(request)
    context.on('requestfinished', over)
    context.on('requestfailed', over)
    context.on('response', (response) => {
      if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`)
    })
    const page = await context.newPage()
    return {
      ...{ page, context, faults },
      async settled() {
        // What a page asks for, it asks after it is painted; and what it asks then, after the answer.
        for (let quiet = 0; quiet < 2; quiet += 1) {
          await page.evaluate(painted)
          if (underWay.size > 0) quiet = -1
        }
      },
      async ask(path, data) {
        const headers = { authorization }
        const answer = await page.request.post(`/console/api${path}`, { data, headers })
        expect(answer.status(), `${path}: ${await answer.text()}`).to.be.within(200, 204)
        return (await answer.json()).permit?.id
      },
      [Symbol.asyncDispose]: () => context.close(),
    }
  }

  const hrefsOf = (page: Page) =>
    page
      .locator('a[href]')
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href))

  /** Visits each page of the console that links lead to. Answers the links that lead elsewhere. */
  async function walk(
    visitor: Visitor,
    begin: readonly string[],
    kinds: readonly RegExp[],
  ): Promise<Set<string>> {
    const { page, faults, settled } = visitor
    const elsewhere = new Set<string>()
    const known = new Set(begin)
    for (const path of known) {
      await goTo(page, path)
      await settled()
      await page.getByRole('heading', { level: 1 }).waitFor()
      const missing = page.getByText(/There is no such|is not in this timeline/)
      for (const said of await missing.allTextContents()) faults.push(`${path}: ${said}`)
      for (const href of await hrefsOf(page)) {
        const { origin, pathname, search, hash } = new URL(href)
        const isPage = origin === example.url && CONSOLE.test(pathname)
        // The link to the content of the page that is shown.
        if (isPage && hash === '#content') continue
        if (isPage) known.add(pathname + search + hash)
        else elsewhere.add(href)
      }
    }
    for (const kind of kinds) {
      expect(
        [...known].some((path) => kind.test(path)),
        String(kind),
      ).to.equal(true)
    }
    return elsewhere
  }

  /** Each address answers, and so does what its page loads. */
  async function open(visitor: Visitor, hrefs: Iterable<string>): Promise<void> {
    const page = await visitor.context.newPage()
    for (const href of hrefs) {
      const { origin } = new URL(href)
      const isOurs = [example.url, new URL(example.shopUrl).origin].includes(origin)
      if (!isOurs) visitor.faults.push(`${href} leads to another site`)
      const response = isOurs ? await page.request.get(href) : undefined
      if (response && !response.ok()) visitor.faults.push(`${response.status()} ${href}`)
    }
    await page.close()
  }

  it('lead to a page, for operator, lead, auditor and customer', async () => {
    await using olivia = await sitDown()
    await using oscar = await sitDown()
    await using grace = await sitDown()
    await using ada = await sitDown()
    await using alice = await sitDown()
    await using dana = await sitDown()
    await enter(olivia.page, 'olivia', '/console')
    await enter(oscar.page, 'oscar', '/console')
    await enter(grace.page, 'grace', '/console')
    await enter(ada.page, 'ada', '/console')
    await enter(alice.page, 'alice', '/account')
    await enter(dana.page, 'dana', '/account')

    // A history: what ran, what was asked, decided and refused, and what was done without an approval.
    const shop = await olivia.context.newPage()
    await shop.goto(await linkTo(example))
    await shop.getByRole('heading', { name: 'Orders' }).waitFor()
    const approved = { ...ACT, userId: 'chidi', ticketId: 'SUP-2', for: 600 }
    await grace.ask(`/permits/${await olivia.ask('/permits', approved)}/grant`, {})
    const refused = { ...ACT, userId: 'chidi', ticketId: 'SUP-3', for: 600 }
    const refusal = { note: 'Call the customer first' }
    await grace.ask(`/permits/${await oscar.ask('/permits', refused)}/refuse`, refusal)
    await oscar.ask('/permits/emergency', { ...ACT, userId: 'chidi', ticketId: 'SUP-4' })
    await oscar.ask('/impersonations', { ...ACT, userId: 'chidi', ticketId: 'SUP-4' })
    await olivia.ask('/permits', { ...ACT, userId: 'dana', ticketId: 'SUP-5', for: 600 })

    const staffBegin = [
      '/console',
      '/console/customers/alice',
      '/console/customers/chidi',
      '/console/act?user=dana',
    ]
    const found = new Set<string>([`${example.url}/`, example.shopUrl])
    const visited = async (visitor: Visitor, begin: readonly string[]) => {
      // What was decided meanwhile, a page learns by its stream, or when it is loaded.
      await visitor.page.reload()
      await visitor.page.getByRole('button', { name: 'Sign out' }).waitFor()
      const kinds = [/[/]audit[/][\w-]+$/, /[/]audit[/].+#/, /[/]approvals[/]/, /[?]ticket=/]
      for (const href of await walk(visitor, begin, kinds)) found.add(href)
    }
    await visited(olivia, staffBegin)
    await alice.page.reload()
    await alice.page.getByRole('button', { name: /^I did not ask for this/ }).click()
    await alice.page.getByRole('button', { name: 'Tell them' }).click()
    await alice.page.getByText(/You said on/).waitFor()
    await visited(grace, staffBegin)
    await visited(ada, ['/console'])
    for (const { page } of [alice, dana]) for (const href of await hrefsOf(page)) found.add(href)
    for (const href of await hrefsOf(shop)) found.add(href)
    const start = await alice.context.newPage()
    for (const path of [`${example.url}/`, example.shopUrl, `${example.url}/mail`]) {
      await start.goto(path)
      for (const href of await hrefsOf(start)) found.add(href)
    }
    await open(alice, found)
    for (const { faults } of [olivia, grace, ada, alice, dana]) expect(faults).to.deep.equal([])
  })
})

/** Resolves when what the page has drawn is painted, and its effects ran. Runs in the page. */
const painted = () =>
  new Promise<void>((resolve) => {
    requestAnimationFrame(() => setTimeout(() => requestAnimationFrame(() => setTimeout(resolve))))
  })
