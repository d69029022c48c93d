import { slot } from '../dom.js'
import { clearMessage } from '../message.js'
import { showView } from '../views.js'

/** @typedef {{ show(): void, hide(): void }} View */

/** Shows one view at a time. The URL names it after the `#`, so that Back and Forward work. */
export class Navigation {
  #views
  /** @type {View | undefined} */
  current

  /** @param {Readonly<Record<string, View>>} views */
  constructor(views) {
    this.#views = new Map(Object.entries(views))
    window.addEventListener('hashchange', () => this.begin())
  }

  /** Shows the view that the URL names. */
  begin() {
    const name = location.hash.slice(1)
    // The link that skips to the content does not name a view.
    if (name === 'content' && this.current) return
    const view = this.#views.get(name)
    if (!view) {
      this.goInstead('customers')
      return
    }
    this.current?.hide()
    this.current = view
    clearMessage()
    showView(name)
    for (const link of slot(document, 'links').querySelectorAll('a')) {
      link.ariaCurrent = link.hash === `#${name}` ? 'page' : null
    }
    view.show()
  }

  /** @param {string} name */
  go(name) {
    if (location.hash !== `#${name}`) history.pushState(null, '', `#${name}`)
    this.begin()
  }

  /**
   * Shows another view instead of one that cannot be shown, also after Back.
   *
   * @param {string} name
   */
  goInstead(name) {
    history.replaceState(null, '', `#${name}`)
    this.begin()
  }
}
