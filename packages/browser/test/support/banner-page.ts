import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { type Example, listen } from '../../../../test/example-provider/support.ts'
import { shared } from '../../../../test/support/shared.ts'
import { type Visit, type VisitOptions, visit } from '../../../console/test/e2e/support/visit.ts'
import type { FakeSessionOptions } from './lab.ts'

const ROOT = join(import.meta.dirname, '../../../..')

/** The strictest that a page with a script can have: no styles, no HTML from strings. */
const POLICY =
  "default-src 'none'; script-src 'self'; trusted-types 'none'; require-trusted-types-for 'script'"

const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <meta name="color-scheme" content="light dark">
  <title>Shop</title>
  <script type="module" src="/packages/browser/test/support/lab.ts"></script>
</head>
<body>
  <main>
    <h1>Your orders</h1>
    <p>${'Two kilograms of beans, to be delivered on Tuesday. '.repeat(40)}</p>
    <button type="button">Order again</button>
  </main>
</body>
</html>`

/**
 * Serves a page with banners, and the modules of packages/browser/src without their types.
 *
 * @param scripts further ones, by path
 */
function bannerPage(scripts: ReadonlyMap<string, string>): Promise<Example> {
  return listen(async (request, response) => {
    const path = request.url ?? '/'
    if (path === '/') {
      response.setHeader('content-type', 'text/html')
      response.setHeader('content-security-policy', POLICY)
      response.end(PAGE)
    } else if (scripts.has(path)) {
      response.setHeader('content-type', 'text/javascript')
      response.end(scripts.get(path))
    } else if (/^\/packages\/browser\/(?:src|test)\/[\w/-]+\.ts$/.test(path)) {
      response.setHeader('content-type', 'text/javascript')
      response.end(stripTypeScriptTypes(await readFile(join(ROOT, path), 'utf8')))
    } else {
      response.writeHead(404).end()
    }
  })
}

interface BannerOptions extends VisitOptions {
  /** Time passes only where the test says so. */
  readonly isStopped?: boolean
}

/** Tests of one `describe`, each with a visitor of a page in which the banner is defined, and none is. */
export function bannerTests(all: BannerOptions = {}, scripts?: ReadonlyMap<string, string>) {
  const server = shared(() => bannerPage(scripts ?? new Map()))
  return (
    title: string,
    test: (person: Visit) => Promise<void>,
    { isStopped, ...options }: BannerOptions = all,
  ) =>
    it(title, async () => {
      const clock = new Date()
      await using person = await visit(server.url, isStopped ? { clock } : options)
      const { page } = person
      await page.goto('/')
      await page.waitForFunction(() => 'lab' in window)
      await page.evaluate(() => window.lab.define())
      if (isStopped) await page.clock.pauseAt(clock.getTime() + 60_000)
      await test(person)
    })
}

export async function expectCount(locator: Locator, count: number): Promise<void> {
  expect(await locator.count()).to.equal(count)
}

export async function expectText(locator: Locator, told: string | RegExp): Promise<void> {
  const text = await locator.textContent()
  if (typeof told === 'string') expect(text).to.equal(told)
  else expect(text).to.match(told)
}

export async function expectTitle(page: Page, title: string, what?: string): Promise<void> {
  expect(await page.title(), what).to.equal(title)
}

/** The time that the banner shows. */
export function timeIn(page: Page): Promise<string | null> {
  return page.getByRole('timer').textContent()
}

type Settings = Parameters<Window['lab']['show']>[1]

/** Shows one banner, with a session whose time passes only where the test says so. */
export async function showBanner(
  page: Page,
  session: FakeSessionOptions = {},
  settings: Settings = {},
): Promise<Locator> {
  await page.evaluate(
    ([options, properties]) => {
      window.lab.show(window.lab.session(options), properties)
    },
    [session, settings] as const,
  )
  return banner(page)
}

/** Lets the request for an end be answered, or fail. */
export function settle(page: Page, how: 'answer' | 'fail'): Promise<void> {
  return page.evaluate((name) => window.lab.current?.[name](), how)
}

/** Lets the session end by itself. */
export function finish(page: Page, how: 'ended' | 'expired'): Promise<void> {
  return page.evaluate((state) => window.lab.current?.finish(state), how)
}

export function banner(page: Page): Locator {
  return page.getByRole('region', { name: /act/ })
}

/** The texts in it that are seen, in order. */
export function seen(region: Locator): Promise<string[]> {
  return region.locator('> :visible:not([role=status])').allTextContents()
}
