import type { Page } from 'playwright-core'
import { browser } from '../../../../packages/console/test/e2e/support/browser.ts'
import type { Seat, Tab, TestBrowser } from './seat.ts'

/** The browser of all other tests. Its hooks skip them where it is missing, and close it. */
export const chromium: TestBrowser = {
  name: 'Chromium',
  missing: undefined,
  async sitDown(): Promise<Seat> {
    const context = await (await browser()).newContext({ locale: 'en-GB' })
    return {
      open: async () => tabOf(await context.newPage()),
      tabs: async () => context.pages().map(tabOf),
      [Symbol.asyncDispose]: () => context.close(),
    }
  },
}

const ids = new WeakMap<Page, string>()

function tabOf(page: Page): Tab {
  const id = ids.get(page) ?? crypto.randomUUID()
  ids.set(page, id)
  return {
    id,
    goto: async (url) => void (await page.goto(url)),
    reload: async () => void (await page.reload()),
    evaluate: (expression) => page.evaluate(expression),
    click: (x, y) => page.mouse.click(x, y),
    setSize: (size) => page.setViewportSize(size),
    type: (text) => page.keyboard.type(text),
    screenshot: async () => (await page.screenshot()).toString('base64'),
    close: () => page.close(),
  }
}
