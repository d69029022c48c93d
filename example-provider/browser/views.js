import { byId } from './dom.js'

/**
 * Shows one view of the page and hides the others. The reader, and their screen reader, begin at
 * its heading.
 *
 * @param {string} name
 */
export function showView(name) {
  const shown = byId(`view-${name}`)
  for (const view of document.querySelectorAll('[data-view]')) {
    if (view instanceof HTMLElement) view.hidden = view !== shown
  }
  const heading = shown.querySelector('h1')
  heading?.focus()
}

/** Where what had the focus is gone, the reader goes on at the heading, and not at the very top. */
export function keepFocus() {
  const { activeElement } = document
  const isThere = activeElement !== document.body && activeElement?.checkVisibility()
  const heading = document.querySelector('[data-view]:not([hidden]) h1')
  if (!isThere && heading instanceof HTMLElement) heading.focus()
}
