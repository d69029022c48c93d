import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expectAccessible } from './axe.ts'
import { expectNothingCut } from './fit.ts'
import { NARROW, WIDE } from './visit.ts'

/** Where pictures are kept: in the folder that PICTURES names; without it, nowhere. */
const FOLDER = process.env.PICTURES

/**
 * Expects that a view is accessible, and that nothing in it is cut: at both widths, in both schemes.
 * Takes a picture of each, where PICTURES names a folder.
 */
export async function expectGoodLooks(page: Page, name: string): Promise<void> {
  for (const [width, size] of Object.entries({ wide: WIDE, narrow: NARROW })) {
    await page.setViewportSize(size)
    await expectNothingCut(page)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.evaluate(() => new Promise(requestAnimationFrame))
      if (FOLDER !== undefined) {
        await mkdir(FOLDER, { recursive: true })
        const path = join(FOLDER, `${name}-${width}-${colorScheme}.png`)
        await page.screenshot({ path, fullPage: true, animations: 'disabled', caret: 'hide' })
      }
      await expectAccessible(page)
    }
  }
  await page.emulateMedia({ colorScheme: null })
  await page.setViewportSize(WIDE)
}
