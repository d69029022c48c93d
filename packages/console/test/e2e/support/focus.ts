import { fail } from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

/** More than the number of focusable elements on any page. */
const PRESSES = 60

/** Waits until it has the focus. */
export async function expectFocus(locator: Locator) {
  await locator.and(locator.page().locator(':focus')).waitFor()
}

/**
 * Presses Tab until this element has the focus, like a user without a mouse. Every element that
 * gets the focus on the way has to show it.
 */
export async function tabTo(locator: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab') {
  const page = locator.page()
  await locator.waitFor()
  for (let presses = 0; presses < PRESSES; presses += 1) {
    await page.keyboard.press(key)
    await expectFocusShown(page)
    if ((await locator.and(page.locator(':focus')).count()) === 1) return
  }
  fail(`${locator} is not reached by ${key}`)
}

/** Expects that the focus is visible as an outline. */
async function expectFocusShown(page: Page) {
  const { element, isShown, isReachable } = await focused(page)
  // After the last element, and before the first, the browser itself has the focus.
  if (element !== 'body' && !isShown && isReachable)
    fail(`the focus on ${element} is not to be seen`)
}

function focused(page: Page) {
  return page.evaluate(() => {
    const element = document.activeElement ?? document.body
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    const { width, height, left, right, top, bottom } = element.getBoundingClientRect()
    const isOutlined = outlineStyle !== 'none' && outlineWidth !== '0px'
    const isInView = right > 0 && bottom > 0 && left < innerWidth && top < innerHeight
    const name = `${element.localName}${element.id && `#${element.id}`}`
    return {
      element: name,
      // A heading that a script gave the focus is no control: Tab does not lead to it.
      isReachable: !(element instanceof HTMLElement) || element.tabIndex >= 0,
      isShown: isOutlined && width > 1 && height > 1 && isInView,
    }
  })
}
