import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { WIDE } from './visit.ts'

/** The folder of the README's pictures. */
export const IMAGES = join(import.meta.dirname, '../../../docs/images')

/**
 * Takes a picture of what is seen, `<name>.png`.
 *
 * @param folder where to keep it; by default in `docs/images` where SCREENSHOTS=1 asks for it, and
 *   otherwise nowhere, since a test run changes nothing
 */
export async function screenshot(page: Page, name: string, folder?: string): Promise<void> {
  const kept = folder ?? (process.env.SCREENSHOTS === '1' ? IMAGES : undefined)
  const target = kept ?? (await mkdtemp(join(tmpdir(), 'screenshots-')))
  try {
    await page.setViewportSize(WIDE)
    await page.screenshot({
      path: join(target, `${name}.png`),
      animations: 'disabled',
      caret: 'hide',
      scale: 'css',
    })
  } finally {
    if (kept === undefined) await rm(target, { recursive: true })
  }
}
