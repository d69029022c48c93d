import { fail } from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

/** More than there is on any page. */
const PRESSES = 60

/** Waits until it has the focus. */
export async function expectFocus(locator: Locator): Promise<void> {
  await locator.and(locator.page().locator(':focus')).waitFor()
}

/**
 * Presses Tab until this has the focus, as somebody without a mouse does. Whatever has it on the
 * way has to show that.
 */
export async function tabTo(locator: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const page = locator.page()
  await locator.waitFor()
  for (let presses = 0; presses < PRESSES; presses += 1) {
    await page.keyboard.press(key)
    await expectFocusShown(page)
    if ((await locator.and(page.locator(':focus')).count()) === 1) return
  }
  fail(`${locator} is not reached by ${key}`)
}

/** Expects that somewhere in the page has the focus, and not all of it. */
export async function expectFocusKept(page: Page): Promise<void> {
  const { element } = await focused(page)
  if (element === 'body') fail('nothing has the focus')
}

/** Expects that the focus is seen: an outline, which Pico's pale ring is not. */
export async function expectFocusShown(page: Page): Promise<void> {
  const { element, isShown } = await focused(page)
  // Past the last element, and before the first one, the browser itself has it.
  if (element !== 'body' && !isShown) fail(`the focus on ${element} is not to be seen`)
}

function focused(page: Page): Promise<{ element: string; isShown: boolean }> {
  return page.evaluate(() => {
    const element = document.activeElement ?? document.body
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    const { width, height, left, right, top, bottom } = element.getBoundingClientRect()
    const isOutlined = outlineStyle !== 'none' && outlineWidth !== '0px'
    const isInView = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight
    const name = `${element.localName}${element.id && `#${element.id}`}`
    return {
      element: name,
      isShown: isOutlined && width > 1 && height > 1 && isInView,
    }
  })
}
