import { slot } from '../dom.js'
import { clearMessage } from '../message.js'
import { showView } from '../views.js'

/** @typedef {{ show(): void, hide(): void }} View */

/** One view at a time, named in the address behind the `#`, so that Back and Forward work. */
export class Navigation {
  #views
  /** @type {View | undefined} */
  current

  /** @param {Readonly<Record<string, View>>} views */
  constructor(views) {
    this.#views = new Map(Object.entries(views))
    window.addEventListener('hashchange', () => this.begin())
  }

  /** Shows what the address names. */
  begin() {
    const name = location.hash.slice(1)
    // The link that skips to the content is no view.
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
   * Where a view cannot be shown, another takes its place, also for who goes back later.
   *
   * @param {string} name
   */
  goInstead(name) {
    history.replaceState(null, '', `#${name}`)
    this.begin()
  }
}
