import { byId, fill, slot, whileBusy } from '../dom.js'
import { keepFocus } from '../views.js'
import { auditRow, matches } from './audit-entry.js'
import { follow } from './follow.js'

/** @typedef {import('./audit-entry.js').Entry} Entry */

const PAUSE = 250
const PAGE = 50
/** The largest number of rows while entries arrive. A button loads the older ones. */
const MAX_ROWS = 500

/** The audit of all impersonations, live. */
export class AuditView {
  #app
  #root = byId('view-audit')
  #entries = byId('audit-entries')
  #fields = {
    text: byId('audit-text', HTMLInputElement),
    event: byId('audit-event', HTMLSelectElement),
    actor: byId('audit-actor', HTMLInputElement),
    subject: byId('audit-subject', HTMLInputElement),
  }
  /** Cursors of the entries in the list. An entry can come from the list and from the stream. */
  #shown = new Set()
  /** @type {string | null} */
  #next = null
  #asked = 0
  #stop = new AbortController()
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #pause

  /** @param {import('./app.js').App} app */
  constructor(app) {
    this.#app = app
    const form = byId('audit-filter', HTMLFormElement)
    form.addEventListener('submit', (event) => event.preventDefault())
    form.addEventListener('input', () => {
      clearTimeout(this.#pause)
      this.#pause = setTimeout(() => this.#load(), PAUSE)
    })
    const older = slot(this.#root, 'older')
    older.addEventListener('click', () => whileBusy(older, () => this.#loadOlder()))
    // Browsers open few connections to one server, so hidden tabs leave them to the visible ones.
    document.addEventListener('visibilitychange', () => {
      if (!this.#isShown) return
      if (document.hidden) this.#stop.abort()
      else this.#follow()
    })
  }

  get #isShown() {
    return !this.#root.hidden
  }

  show() {
    // Load the list even if the stream fails. When the stream begins, the list is loaded again.
    void this.#load()
    this.#follow()
  }

  #follow() {
    this.#stop.abort()
    this.#stop = new AbortController()
    const { signal } = this.#stop
    follow(this.#app.operator, signal, {
      onEntry: (entry) => this.#arrived(entry),
      onState: (isLive) => this.#setLive(isLive),
    }).catch((error) => this.#app.failed(error, 'The support backend', () => this.#app.go('audit')))
  }

  hide() {
    this.#stop.abort()
    clearTimeout(this.#pause)
    this.#asked += 1
    this.#entries.replaceChildren()
    this.#shown.clear()
    fill(this.#root, { live: 'Connecting…', count: '' })
  }

  get #filter() {
    const { text, event, actor, subject } = this.#fields
    return {
      text: text.value.trim(),
      event: event.value,
      actor: actor.value.trim(),
      subject: subject.value.trim(),
    }
  }

  /** @param {boolean} isLive */
  #setLive(isLive) {
    fill(this.#root, { live: isLive ? 'Live' : 'Connection lost. Trying again…' })
    // The list contains what happened while the stream was down, so that no entry is missed.
    if (isLive) void this.#load()
  }

  async #load() {
    this.#asked += 1
    const asked = this.#asked
    try {
      const answer = await this.#page()
      if (asked !== this.#asked) return
      this.#entries.replaceChildren()
      this.#shown.clear()
      this.#append(answer)
    } catch (error) {
      if (asked === this.#asked) this.#app.failed(error, 'The support backend', () => this.#load())
    }
  }

  async #loadOlder() {
    const asked = this.#asked
    try {
      const answer = await this.#page(this.#next)
      if (asked === this.#asked) this.#append(answer)
    } catch (error) {
      if (asked !== this.#asked) return
      this.#app.failed(error, 'The support backend', () => this.#loadOlder())
    }
  }

  /** @param {string | null} [before] */
  #page(before = null) {
    const query = new URLSearchParams({ ...this.#filter, limit: String(PAGE) })
    if (before !== null) query.set('before', before)
    return this.#app.operator.ask(`/support/audit?${query}`, { has: 'entries' })
  }

  /** @param {{ entries: Entry[], next: string | null }} answer */
  #append({ entries, next }) {
    this.#next = next
    this.#entries.append(...this.#unseen(entries).map(auditRow))
    slot(this.#root, 'older').hidden = next === null
    keepFocus()
    this.#showCount()
  }

  /** @param {Entry} entry */
  #arrived(entry) {
    if (!matches(entry, this.#filter)) return
    this.#entries.prepend(...this.#unseen([entry]).map(auditRow))
    if (this.#entries.childElementCount > MAX_ROWS) void this.#load()
    else this.#showCount()
  }

  /**
   * @param {Entry[]} entries
   * @returns {Entry[]}
   */
  #unseen(entries) {
    const unseen = entries.filter(({ cursor }) => !this.#shown.has(cursor))
    for (const { cursor } of unseen) this.#shown.add(cursor)
    return unseen
  }

  #showCount() {
    const count = this.#shown.size
    const isFiltered = Object.values(this.#filter).some((value) => value !== '')
    const nothing = isFiltered ? 'Nothing matches.' : 'Nothing has happened yet. Act as a customer.'
    const notYet = 'Nothing among the newest matches. Show older ones to look on.'
    const more = this.#next === null ? '' : ', and there may be older ones'
    fill(this.#root, {
      count:
        count === 0
          ? this.#next === null
            ? nothing
            : notYet
          : `${count === 1 ? '1 entry' : `${count} entries`}${more}.`,
    })
  }
}
