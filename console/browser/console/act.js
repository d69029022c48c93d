import { ApiProblem } from '../api.js'
import { byId, copyOf, fill, slot, whileBusy } from '../dom.js'
import { clearMessage, say } from '../message.js'
import { setProblem } from './reason.js'

/**
 * @typedef {object} Order
 * @property {string} id
 * @property {string} item
 * @property {number} total
 * @property {string} status
 * @property {string} [deliveryNote]
 * @property {{ subject: string, actor?: string | null }} [changedBy]
 */

const API = 'The Orders API'
const euros = new Intl.NumberFormat(undefined, { style: 'currency', currency: 'EUR' })

/** The page that the customer sees. */
export class ActView {
  #app
  #root = byId('view-act')
  #orders = byId('orders')
  #email = byId('email', HTMLInputElement)

  /** @param {import('./app.js').App} app */
  constructor(app) {
    this.#app = app
    slot(this.#root, 'refresh').addEventListener('click', () => {
      clearMessage()
      void this.#load()
    })
    this.#email.addEventListener('input', () => setProblem(this.#email, ''))
    const form = byId('email-form', HTMLFormElement)
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.#changeEmail(slot(form, 'submit'))
    })
  }

  show() {
    const { impersonation } = this.#app
    if (!impersonation) return this.#app.goInstead('customers')
    fill(this.#root, { name: impersonation.customer.name })
    void this.#load()
  }

  hide() {}

  /** Removes all data of the customer from the page. */
  forget() {
    fill(this.#root, { name: '' })
    this.#orders.replaceChildren()
    byId('email-form', HTMLFormElement).reset()
    setProblem(this.#email, '')
  }

  async #load() {
    const { impersonation } = this.#app
    if (!impersonation) return
    const loading = slot(this.#root, 'loading')
    loading.hidden = false
    try {
      const { orders } = await impersonation.ask('/orders', { has: 'orders' })
      if (impersonation !== this.#app.impersonation) return
      this.#orders.replaceChildren(
        ...orders.map((/** @type {Order} */ order) => this.#order(order, impersonation.mayWrite)),
      )
      slot(this.#root, 'no-orders').hidden = orders.length > 0
    } catch (error) {
      this.#failed(impersonation, error, () => this.#load())
    } finally {
      loading.hidden = true
    }
  }

  /**
   * @param {Order} order
   * @param {boolean} mayWrite
   */
  #order({ id, item, total, status, deliveryNote, changedBy }, mayWrite) {
    const card = fill(copyOf('order'), { id, item, status, total: euros.format(total) })
    card.dataset.order = id
    if (deliveryNote !== undefined) {
      slot(card, 'note').hidden = false
      fill(card, { 'note-text': deliveryNote })
    }
    if (changedBy) {
      slot(card, 'changed').hidden = false
      const { actor, subject } = changedBy
      const acting = actor === undefined ? '' : `, ${actor ?? 'an operator'} acting`
      fill(card, { 'changed-by': `${subject}${acting}` })
    }
    if (status !== 'delivered')
      card.append(mayWrite ? this.#noteForm(id, item, deliveryNote) : copyOf('read-only'))
    return card
  }

  /**
   * @param {string} id
   * @param {string} item
   * @param {string | undefined} note
   */
  #noteForm(id, item, note) {
    const form = copyOf('note-form')
    const input = /** @type {HTMLInputElement} */ (slot(form, 'note-input'))
    input.ariaLabel = `Delivery note for ${item}`
    input.value = note ?? ''
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      clearMessage()
      void whileBusy(slot(form, 'save'), () => this.#saveNote(id, item, input.value.trim()))
    })
    return form
  }

  /**
   * @param {string} id
   * @param {string} item
   * @param {string} deliveryNote
   */
  async #saveNote(id, item, deliveryNote) {
    const { impersonation } = this.#app
    if (!impersonation) return
    try {
      const path = `/orders/${encodeURIComponent(id)}`
      const how = { method: 'PATCH', body: { deliveryNote }, has: 'id' }
      const order = await impersonation.ask(path, how)
      if (impersonation !== this.#app.impersonation) return
      say(`Saved for ${impersonation.customer.name}: the delivery note of ${item}.`)
      this.#replace(order, impersonation.mayWrite)
    } catch (error) {
      this.#failed(impersonation, error, () => this.#saveNote(id, item, deliveryNote))
    }
  }

  /**
   * Replaces only this card, so that text typed into another card stays. The button that was
   * pressed is removed with the old card.
   *
   * @param {Order} order
   * @param {boolean} mayWrite
   */
  #replace(order, mayWrite) {
    const card = this.#orders.querySelector(`[data-order="${CSS.escape(order.id)}"]`)
    if (!card) return
    const hadFocus = card.contains(document.activeElement)
    const changed = this.#order(order, mayWrite)
    card.replaceWith(changed)
    if (hadFocus) slot(changed, 'save').focus()
  }

  /** @param {HTMLElement} button */
  async #changeEmail(button) {
    clearMessage()
    const isFaulty = this.#email.value === '' || !this.#email.validity.valid
    setProblem(this.#email, isFaulty ? 'Enter an e-mail address, such as alice@example.org.' : '')
    if (isFaulty) return this.#email.focus()
    await whileBusy(button, () => this.#sendEmail(this.#email.value))
  }

  /** @param {string} email */
  async #sendEmail(email) {
    const { impersonation } = this.#app
    if (!impersonation) return
    try {
      await impersonation.ask('/orders/email', { method: 'PUT', body: { email } })
      if (impersonation === this.#app.impersonation) say('The e-mail address was changed.')
    } catch (error) {
      this.#failed(impersonation, error, () => this.#sendEmail(email))
    }
  }

  /**
   * Ends the impersonation if the token is no longer valid. Ignores an error of an impersonation
   * that has already ended, because another may have begun.
   *
   * @param {import('./impersonation.js').Impersonation} impersonation
   * @param {unknown} error
   * @param {() => void} again
   */
  #failed(impersonation, error, again) {
    if (impersonation !== this.#app.impersonation) return
    if (error instanceof ApiProblem && error.status === 401) {
      this.#app.end('refused', `${API} said ${error.words}.`)
    } else {
      this.#app.failed(error, API, () => impersonation === this.#app.impersonation && again())
    }
  }
}
