import { fail } from 'node:assert/strict'
import axe from 'axe-core'
import type { Page } from 'playwright-core'

declare global {
  interface Window {
    axe: typeof axe
  }
}

/** WCAG 2.2, levels A and AA, and axe's best practices. */
const RULES: readonly string[] = [
  'wcag2a',
  'wcag2aa',
  'wcag21a',
  'wcag21aa',
  'wcag22a',
  'wcag22aa',
  'best-practice',
]

/** Expects that axe finds no violation in the current page, nor a pale text in the other scheme. */
export async function expectAccessible(page: Page) {
  const objections = await objectionsTo(page, { type: 'tag', values: [...RULES] })
  await page.emulateMedia({ colorScheme: 'dark' })
  objections.push(...(await objectionsTo(page, { type: 'rule', values: ['color-contrast'] })))
  await page.emulateMedia({ colorScheme: null })
  if (objections.length > 0) fail(`axe, at ${page.url()}:\n${objections.join('\n')}`)
}

/** The violations that axe finds: the rule, the elements, and what to do. */
async function objectionsTo(page: Page, runOnly: axe.RunOnly) {
  // Runs without a script element, because the content security policy of the pages refuses it.
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(axe.source)
  const { violations } = await page.evaluate((only) => window.axe.run({ runOnly: only }), runOnly)
  return violations.map(({ id, help, nodes }) => {
    const elements = nodes.map(
      ({ target, failureSummary }) => `  ${target.join(' ')}: ${failureSummary}`,
    )
    return [`${id}: ${help}`, ...elements].join('\n')
  })
}
