import { fail } from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expectAccessible } from './axe.ts'
import { expectNothingCut } from './fit.ts'
import { NARROW, WIDE } from './visit.ts'

/** The folder for pictures. Without PICTURES, none is kept. */
const FOLDER = process.env.PICTURES

/**
 * Expects that a view is accessible, that each control has one name, and that nothing in it is cut:
 * at both widths, in both schemes.
 * Takes a picture of each, where PICTURES names a folder.
 */
export async function expectGoodLooks(page: Page, name: string) {
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
  const wrong = await badNames(page)
  if (wrong.length > 0) fail(`names, at ${page.url()}:\n${wrong.join('\n')}`)
}

interface AXNode {
  readonly ignored: boolean
  readonly role?: { readonly value?: string }
  readonly name?: { readonly value?: string }
  readonly description?: { readonly value?: string }
}

const CONTROLS = new Set([
  'button',
  'link',
  'textbox',
  'searchbox',
  'combobox',
  'checkbox',
  'radio',
])

/** Controls of the accessibility tree without a name, or with the same words twice. */
async function badNames(page: Page) {
  const client = await page.context().newCDPSession(page)
  const { nodes }: { nodes: AXNode[] } = await client.send('Accessibility.getFullAXTree')
  const plain = (text: string | undefined = '') => text.replaceAll(/[\u2066-\u2069*]/g, '').trim()
  const controls = nodes.filter(({ ignored, role }) => !ignored && CONTROLS.has(role?.value ?? ''))
  return controls.flatMap(({ role, name, description }) => {
    const [said, about] = [plain(name?.value), plain(description?.value)]
    const words = said.toLocaleLowerCase().split(/\s+/)
    const isDoubled = words.some((word, index) => word.length > 2 && word === words[index + 1])
    // A customer may have a name of many words.
    const isBad =
      said === '' || (isDoubled && said.length < 200) || (about !== '' && said.includes(about))
    return isBad ? [`${role?.value} “${said}” “${about}”`] : []
  })
}
