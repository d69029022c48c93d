import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { act, banner, enterConsole, pressStart, sayWhy } from './support/acting.ts'
import { differences, madeOf, readMadeOf, writeMadeOf } from './support/made-of.ts'
import { IMAGES, screenshot } from './support/screenshots.ts'
import { type SharedExample, sharedExample } from './support/server.ts'
import { visit, WIDE } from './support/visit.ts'

const PICTURES = { light: 'console-light', dark: 'console-dark' } as const

/** From the ten minutes to 09:41. */
const PASSED = 19_000

describe('the pictures in the README', () => {
  let example: SharedExample

  before(async () => {
    example = await sharedExample()
  })

  it('show olivia acting as Alice', async () => {
    await using person = await visit(example.url, { clock: new Date() })
    const { page } = person
    await actUntil0941(page)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await screenshot(page, PICTURES[colorScheme])
    }
  })

  // Whether the pictures in the README are of the present state is no question for the tests: a
  // comment in a style sheet would fail them. `npm run screenshots` says what has changed.
  if (process.env.SCREENSHOTS === '1') {
    it('are kept with what they were made of, and what has changed since the last ones', async () => {
      await using person = await visit(example.url)
      await act(person.page)
      const present = await madeOf(example.url, person.urls)
      const changed = differences(present, await readMadeOf())
      console.log(`      changed: ${changed.join(', ') || 'nothing'}`)
      await writeMadeOf(present)
      expect(await readMadeOf()).to.deep.equal(present)
    })
  }

  it('are as large as the window', async () => {
    for (const name of Object.values(PICTURES)) {
      const png = await readFile(join(IMAGES, `${name}.png`))
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).to.deep.equal([WIDE.width, WIDE.height])
    }
  })
})

/** The clock stands still while the impersonation begins, so that the time left is exact. */
async function actUntil0941(page: Page): Promise<void> {
  await enterConsole(page)
  await sayWhy(page, { mayChange: true })
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 60_000))
  await pressStart(page)
  // First the answers: as the clock runs, the page would have waited too long for them.
  await page.getByText('Coffee grinder').waitFor()
  await page.getByText('Asking the Orders API').waitFor({ state: 'hidden' })
  await banner(page).getByText('10:00').waitFor()
  await page.clock.runFor(PASSED)
  await banner(page).getByText('09:41').waitFor()
  // Nothing is under the mouse.
  await page.mouse.move(640, 790)
}
