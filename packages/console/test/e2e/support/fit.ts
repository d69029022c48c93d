import { fail } from 'node:assert/strict'
import type { Page } from 'playwright-core'

/**
 * Expects that the page does not scroll sideways, that no text is cut off, that no name breaks inside
 * a word, that no controls and headings touch, and that the head does not touch what is below it.
 */
export async function expectNothingCut(page: Page) {
  const wrong = await page.evaluate(() => {
    const found: string[] = []
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth)
      found.push(`the page is ${scrollWidth - clientWidth} px too wide`)
    const nameOf = (element: Element) =>
      `${element.localName}.${element.className}: ${element.textContent?.slice(0, 40)}`
    for (const element of document.querySelectorAll('body *')) {
      if (!(element instanceof HTMLElement) || element.closest('.unseen, .skip, thead')) continue
      // It is inside of something closed.
      if (!element.checkVisibility()) continue
      const { overflowX, overflowY, clipPath } = getComputedStyle(element)
      // For screen readers alone.
      if (clipPath !== 'none') continue
      const hides = [overflowX, overflowY].some((it) => it === 'hidden' || it === 'clip')
      const isCut =
        element.scrollWidth > element.clientWidth + 1 ||
        element.scrollHeight > element.clientHeight + 1
      if (hides && isCut) found.push(`cut: ${nameOf(element)}`)
      const { right, width } = element.getBoundingClientRect()
      if (width > 0 && right > clientWidth + 1) {
        found.push(`beyond the edge: ${nameOf(element)}`)
      }
    }
    for (const name of document.querySelectorAll('.person')) {
      const word = brokenWord(name)
      if (word !== undefined) found.push(`broken inside a word: ${word}`)
    }
    const solid = [
      ...document.querySelectorAll<HTMLElement>(
        'main :is(h2, button, .button, .choice, select, textarea, input:not([type=radio], [type=checkbox]))',
      ),
    ].filter((it) => it.checkVisibility() && !it.closest('dialog, .toasts, .unseen'))
    for (const [index, one] of solid.entries()) {
      for (const other of solid.slice(index + 1)) {
        if (one.contains(other) || other.contains(one)) continue
        const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()]
        const beside = Math.max(a.left - b.right, b.left - a.right)
        const below = Math.max(a.top - b.bottom, b.top - a.bottom)
        if (Math.max(beside, below) < 3) found.push(`touch: ${nameOf(one)}, ${nameOf(other)}`)
      }
    }
    const head = document.querySelector('.head')?.getBoundingClientRect().bottom ?? 0
    // Elements for screen readers alone have no size.
    const first = [...document.querySelectorAll('main > *:not(:empty)')]
      .map((element) => element.getBoundingClientRect())
      .find(({ height }) => height > 1)?.top
    if (first !== undefined && scrollY === 0 && first - head < 12) {
      found.push(`${first - head} px are between the head and what is below it`)
    }
    return found

    /** A word of ordinary length on two lines. A longer one has to break. */
    function brokenWord(element: Element) {
      const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        for (const match of node.textContent?.matchAll(/[\p{L}\p{M}\d]{2,24}/gu) ?? []) {
          const range = document.createRange()
          range.setStart(node, match.index)
          range.setEnd(node, match.index + match[0].length)
          const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
          if (tops.size > 1 && !/\S{25}/.test(node.textContent ?? '')) return match[0]
        }
      }
      return undefined
    }
  })
  if (wrong.length > 0) fail(`at ${page.url()}:\n${wrong.map((it) => `- ${it}`).join('\n')}`)
}
