import { skip } from '../../../support/skipping.ts'
import { chromium } from './chromium.ts'
import { firefox } from './firefox.ts'
import type { TestBrowser } from './seat.ts'
import { webkit } from './webkit.ts'

/** The same tests in each browser. Where one is missing, they are skipped by name; in CI they fail. */
export function inEachBrowser(what: string, tests: (browser: TestBrowser) => void): void {
  for (const browser of [chromium, firefox, webkit]) {
    describe(`in ${browser.name}: ${what}`, () => {
      before(`a browser: ${browser.name}`, function () {
        if (browser.missing) skip(this, browser.missing)
      })
      tests(browser)
    })
  }
}
