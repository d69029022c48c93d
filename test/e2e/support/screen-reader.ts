import { expect } from 'chai'
import type { Page } from 'playwright-core'

/** The words that a screen reader says by itself: the texts of live regions that were there before the text. */
export async function listen(page: Page): Promise<void> {
  await page.addInitScript(collectAnnouncements)
  await page.evaluate(collectAnnouncements)
}

/** Waits until this is announced. */
export async function expectAnnounced(page: Page, text: string | RegExp): Promise<void> {
  const heard = () => page.evaluate(() => globalThis.announcements)
  const deadline = Date.now() + 15_000
  const fits = (it: string) => (typeof text === 'string' ? it.includes(text) : text.test(it))
  while (!(await heard()).some(fits)) {
    if (Date.now() > deadline) {
      expect.fail(`not announced: ${text}; announced: ${JSON.stringify(await heard())}`)
    }
    await page.waitForTimeout(50)
  }
}

declare global {
  var announcements: string[]
}

function collectAnnouncements(): void {
  if (globalThis.announcements) return
  const heard: string[] = []
  globalThis.announcements = heard
  const REGIONS =
    '[role=alert], [role=status], [role=log], [aria-live=polite], [aria-live=assertive]'
  const known = new Set<Element>()
  const roots = new Set<Document | ShadowRoot>()
  const texts = new Map<Element, string>()
  const look = () => {
    const regions: Element[] = []
    const watch = (root: Document | ShadowRoot) => {
      if (!roots.has(root)) {
        roots.add(root)
        observer.observe(root, {
          subtree: true,
          childList: true,
          characterData: true,
          attributes: true,
        })
      }
      for (const element of root.querySelectorAll('*')) {
        if (element.matches(REGIONS)) regions.push(element)
        if (element.shadowRoot) watch(element.shadowRoot)
      }
    }
    watch(document)
    for (const region of regions) {
      const text = (region.textContent ?? '').replace(/[\u2066-\u2069]/g, '').trim()
      // A region that comes with its text is not reliably announced.
      if (known.has(region) && text !== '' && texts.get(region) !== text) heard.push(text)
      known.add(region)
      texts.set(region, text)
    }
  }
  const observer = new MutationObserver(look)
  look()
}
