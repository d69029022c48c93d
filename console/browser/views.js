import { byId } from './dom.js'

/**
 * Shows one view of the page and hides the others. The focus moves to the heading of the view, also
 * for screen readers.
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

/**
 * Moves the focus to the heading if the focused element is gone. Without this, the focus would be
 * at the top of the page.
 */
export function keepFocus() {
  const { activeElement } = document
  const isThere = activeElement !== document.body && activeElement?.checkVisibility()
  const heading = document.querySelector('[data-view]:not([hidden]) h1')
  if (!isThere && heading instanceof HTMLElement) heading.focus()
}
