import { byId, fill, slot, whileBusy } from '../dom.js'
import { clearMessage } from '../message.js'

/** Error messages of the required fields, by the id of the field. */
const COMPULSORY = {
  ticket: 'Enter the number of the ticket that this is about.',
  reason: 'Say in a few words what the customer asked for.',
}

/**
 * The content of the form. The page stores it before a new sign-in, so that the operator does not
 * type it twice. It contains no token.
 *
 * @typedef {object} Draft
 * @property {import('./impersonation.js').Customer} customer
 * @property {string} ticket
 * @property {string} reason
 * @property {boolean} mayWrite
 * @property {string} duration
 */

/** The view that asks for the reason. */
export class ReasonView {
  #app
  #root = byId('view-reason')
  #form = byId('reason-form', HTMLFormElement)
  #ticket = byId('ticket', HTMLInputElement)
  #reason = byId('reason', HTMLTextAreaElement)
  #mayWrite = byId('may-write', HTMLInputElement)
  /** @type {import('./impersonation.js').Customer | undefined} */
  #customer

  /** @param {import('./app.js').App} app */
  constructor(app) {
    this.#app = app
    slot(this.#root, 'cancel').addEventListener('click', () => {
      this.reset()
      app.go('customers')
    })
    for (const field of [this.#ticket, this.#reason]) {
      field.addEventListener('input', () => setProblem(field, ''))
    }
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault()
      void this.submit()
    })
    // A deployment without an application for customers has no such button.
    const open = this.#form.querySelector('[data-slot=open]')
    if (open instanceof HTMLElement) open.addEventListener('click', () => this.#open(open))
  }

  /** @returns {Draft | undefined} */
  get draft() {
    return (
      this.#customer && {
        customer: this.#customer,
        ticket: this.#ticket.value,
        reason: this.#reason.value,
        mayWrite: this.#mayWrite.checked,
        duration: this.#duration,
      }
    )
  }

  /** @param {import('./impersonation.js').Customer} customer */
  choose(customer) {
    if (this.#customer?.id !== customer.id) this.reset()
    this.#customer = customer
  }

  /** @param {Draft} draft */
  restore(draft) {
    this.#customer = draft.customer
    this.#ticket.value = draft.ticket
    this.#reason.value = draft.reason
    this.#mayWrite.checked = draft.mayWrite
    const radio = this.#form.querySelector(`[name=duration][value="${CSS.escape(draft.duration)}"]`)
    if (radio instanceof HTMLInputElement) radio.checked = true
  }

  /** Clears the form for the next customer, above all the right to change data. */
  reset() {
    this.#customer = undefined
    this.#form.reset()
    fill(this.#root, { name: '', email: '' })
    for (const field of [this.#ticket, this.#reason]) setProblem(field, '')
  }

  show() {
    if (!this.#customer || this.#app.impersonation) return this.#app.goInstead('customers')
    fill(this.#root, { name: this.#customer.name, email: this.#customer.email })
  }

  /** Leaving the view cancels the start. */
  hide() {
    this.#app.cancelStart()
  }

  get #duration() {
    return String(new FormData(this.#form).get('duration'))
  }

  /** Starts with the current content of the form, also after an error. */
  async submit() {
    const asked = this.#check()
    if (!asked) return
    await whileBusy(slot(this.#form, 'submit'), () => this.#app.start(asked.customer, asked.why))
  }

  /**
   * Opens the customers' own application, where the operator acts.
   *
   * @param {HTMLElement} button
   */
  async #open(button) {
    const asked = this.#check()
    const { url = '', client: clientId = '', name = '' } = button.dataset
    if (!asked) return
    await whileBusy(button, () =>
      this.#app.open({ url, clientId, name }, asked.customer, asked.why),
    )
  }

  /** What the form asks for, if nothing is missing. Otherwise the form says what is. */
  #check() {
    clearMessage()
    const customer = this.#customer
    const faulty = [this.#ticket, this.#reason].filter((field) => {
      const isEmpty = field.value.trim() === ''
      const missing = COMPULSORY[/** @type {keyof typeof COMPULSORY} */ (field.id)]
      setProblem(field, isEmpty ? missing : '')
      return isEmpty
    })
    faulty[0]?.focus()
    if (!customer || faulty.length > 0) return undefined
    const why = {
      ticketId: this.#ticket.value.trim(),
      // The backend refuses a line break as a control character.
      reason: this.#reason.value.trim().replaceAll(/\s+/g, ' '),
      scope: this.#mayWrite.checked ? 'orders:read orders:write' : 'orders:read',
      duration: Number(this.#duration),
    }
    return { customer, why }
  }
}

/**
 * @param {HTMLInputElement | HTMLTextAreaElement} field
 * @param {string} problem the empty string for no problem
 */
export function setProblem(field, problem) {
  byId(`${field.id}-problem`).textContent = problem
  field.ariaInvalid = problem === '' ? null : 'true'
}
