import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { shared } from '../support/shared.ts'
import '../../packages/console/test/e2e/support/disposal.ts'
import { launchExample, newContext } from './support/server.ts'
import { enter } from './support/sign-in.ts'

const MISSING = /There is no such|is not in this timeline/
/** Visits of each kind of page, for each person: a year has thousands of rows. */
const VISITS_OF_A_KIND = 3

/** Each link of each page leads to a page, for each person who sees it, in the year of the example. */
describe('the links of the example', function () {
  this.timeout(300_000)

  const example = shared(() => launchExample({ STORAGE_URL: '' }, '--with-history'))

  const hrefsOf = (page: Page) =>
    page
      .locator('a[href]:not([download], [href$="/enter"])')
      .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href))

  const customer = ['/console/customers/alice', '/console/act?user=dana']
  for (const [login, kinds, ...begin] of [
    ['olivia', ['/console/audit/:id', '/console/records/:id'], '/console', ...customer],
    ['grace', ['/console/audit/:id', '/console/records/:id'], '/console', ...customer],
    ['ada', ['/console/audit/:id', '/console/records/:id'], '/console'],
    ['alice', ['/account'], '/account'],
  ] as const) {
    it(`lead ${login} to a page`, async () => {
      await using stack = new AsyncDisposableStack()
      const opened = await newContext(example, { reducedMotion: 'reduce' })
      const context = stack.adopt(opened, (it) => it.close())
      const faults: string[] = []
      context.on('weberror', (error) => faults.push(String(error.error())))
      context.on('response', (response) => {
        if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`)
      })
      const page = await context.newPage()
      await enter(page, login, begin[0] ?? '')

      const visits = new Map<string, number>()
      const elsewhere = new Set([`${example.url}/`, `${example.url}/mail`, example.shopUrl])
      const known = new Set<string>(begin)
      for (const path of known) {
        const kind = path
          .replace(/[?#].*/, '')
          .replace(/(?<=\/(?:audit|records|customers)\/).+/, ':id')
        visits.set(kind, (visits.get(kind) ?? 0) + 1)
        if (Number(visits.get(kind)) > VISITS_OF_A_KIND) continue
        await page.goto(path)
        await page
          .getByRole('button', { name: 'Sign out' })
          .waitFor()
          .catch(() => faults.push(`${path} has no frame`))
        const found = page.getByRole('heading', { level: 1 }).filter({ hasNotText: MISSING })
        await found.waitFor().catch(() => faults.push(`${path} is not there`))
        for (const href of await hrefsOf(page)) {
          const { origin, pathname, search, hash } = new URL(href)
          const isPage = origin === example.url && /^\/(?:console|account)(?:\/|$)/.test(pathname)
          if (!isPage) elsewhere.add(href)
          else if (hash !== '#content') known.add(pathname + search + hash)
        }
      }
      expect([...visits.keys()]).to.include.members(kinds)
      for (const href of elsewhere) {
        const isOurs = [example.url, example.shopUrl].some((url) => href.startsWith(url))
        const isFound = isOurs && (await page.request.get(href)).ok()
        if (!isFound) faults.push(`${href} leads nowhere`)
      }
      expect(faults).to.deep.equal([])
    })
  }
})
