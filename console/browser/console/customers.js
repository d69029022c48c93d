import { byId, copyOf, fill, slot } from '../dom.js'

const PAUSE = 200

/** The view that finds a customer. */
export class CustomersView {
  #app
  #root = byId('view-customers')
  #search = byId('search', HTMLInputElement)
  /** The number of the newest search. Answers to older searches are ignored. */
  #asked = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #pause

  /** @param {import('./app.js').App} app */
  constructor(app) {
    this.#app = app
    this.#search.addEventListener('input', () => {
      clearTimeout(this.#pause)
      this.#pause = setTimeout(() => this.#load(), PAUSE)
    })
    slot(this.#root, 'clear').addEventListener('click', () => {
      this.#search.value = ''
      this.#search.focus()
      void this.#load()
    })
  }

  show() {
    const acting = this.#app.impersonation
    slot(this.#root, 'busy-acting').hidden = !acting
    fill(this.#root, { 'acting-name': acting?.customer.name ?? '' })
    void this.#load()
  }

  hide() {
    fill(this.#root, { 'acting-name': '' })
    clearTimeout(this.#pause)
    this.#asked += 1
  }

  async #load() {
    this.#asked += 1
    const asked = this.#asked
    const query = this.#search.value.trim()
    const list = slot(this.#root, 'list')
    list.ariaBusy = 'true'
    try {
      const found = await this.#app.operator.ask(
        `/support/customers?${new URLSearchParams({ q: query })}`,
        { has: 'customers' },
      )
      if (asked === this.#asked) this.#showFound(found, query)
    } catch (error) {
      if (asked === this.#asked) this.#app.failed(error, 'The support backend', () => this.#load())
    } finally {
      if (asked === this.#asked) list.ariaBusy = null
    }
  }

  /**
   * @param {{ customers: import('./impersonation.js').Customer[], more: boolean }} found
   * @param {string} query
   */
  #showFound({ customers, more }, query) {
    byId('customers').replaceChildren(...customers.map((customer) => this.#row(customer)))
    const count = customers.length === 1 ? '1 person' : `${customers.length} people`
    const nobody = customers.length === 0
    slot(this.#root, 'nobody').hidden = !nobody
    slot(this.#root, 'list').hidden = nobody
    fill(this.#root, {
      found: nobody
        ? `No customer matches “${query}”. Look for a part of the name, the e-mail address or the id.`
        : more
          ? `The first ${count}. Search for more of the name to see others.`
          : count,
    })
  }

  /** @param {import('./impersonation.js').Customer} customer */
  #row(customer) {
    const { id, name, email } = customer
    const row = fill(copyOf('customer-row'), { id, name, email })
    if (customer.protected) {
      slot(row, 'action').append(copyOf('protected'))
      return row
    }
    const button = /** @type {HTMLButtonElement} */ (copyOf('act-as'))
    button.ariaLabel = `Act as ${name}…`
    button.disabled = this.#app.impersonation !== undefined
    button.addEventListener('click', () => this.#app.choose(customer))
    slot(row, 'action').append(button)
    return row
  }
}
