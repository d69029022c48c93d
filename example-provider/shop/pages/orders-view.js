import { fill, language, words } from './words/words.js'

/** @typedef {import('./orders.js').Order} Order */

/**
 * @typedef {object} OrdersActions
 * @property {string | undefined} email
 * @property {boolean} canChange whether the token may write: nothing is offered that is refused
 * @property {(text: string) => void} say
 * @property {(id: string, note: string) => Promise<Order>} changeNote
 * @property {(email: string) => Promise<unknown>} changeEmail
 * @property {(error: unknown) => void} failed
 */

const euros = new Intl.NumberFormat(language, { style: 'currency', currency: 'EUR' })

/**
 * Fills the page. Every value becomes text, never markup.
 *
 * @param {readonly Order[]} orders
 * @param {OrdersActions} actions
 */
export function showOrders(orders, actions) {
  const list = requireElement(document, '#orders')
  list.replaceChildren(...orders.map((order) => buildCard(order, actions)))
  requireElement(document, '#no-orders').hidden = orders.length > 0

  const form = requireElement(document, '#email-form')
  const input = /** @type {HTMLInputElement} */ (requireElement(form, '#email'))
  input.defaultValue = input.value = actions.email ?? ''
  input.readOnly = !actions.canChange
  requireElement(form, 'button').hidden = !actions.canChange
  form.onsubmit = submitted(form, actions, async () => {
    await actions.changeEmail(input.value.trim())
    input.defaultValue = input.value
    return words.saved.email
  })
}

/**
 * @param {Order} order
 * @param {OrdersActions} actions
 * @returns {HTMLElement}
 */
function buildCard(order, actions) {
  const { id, item, total, status, deliveryNote, changedBy } = order
  const template = /** @type {HTMLTemplateElement} */ (requireElement(document, '#order'))
  const card = /** @type {HTMLElement} */ (template.content.firstElementChild?.cloneNode(true))
  const slot = (/** @type {string} */ name) => requireElement(card, `[data-slot=${name}]`)
  card.dataset.order = id
  slot('item').textContent = item
  slot('total').textContent = euros.format(total)
  slot('id').textContent = id
  slot('status').textContent = words.status[status]
  slot('note').hidden = deliveryNote === undefined
  slot('note-text').textContent = deliveryNote ?? ''
  if (changedBy?.actor !== undefined) {
    slot('changed').hidden = false
    const name = changedBy.actorName ?? changedBy.actor ?? words.anOperator
    slot('changed').textContent = fill(words.changedBySupport, { name })
  }
  if (status === 'delivered' || !actions.canChange) return card

  const form = slot('form')
  const input = /** @type {HTMLInputElement} */ (slot('input'))
  input.name = `note ${id}`
  input.defaultValue = deliveryNote ?? ''
  form.hidden = false
  form.onsubmit = submitted(form, actions, async () => {
    const changed = await actions.changeNote(id, input.value.trim())
    const replacement = buildCard(changed, actions)
    card.replaceWith(replacement)
    requireElement(replacement, 'button').focus()
    return words.saved.note
  })
  return card
}

/**
 * Runs the work of a form once at a time, and says what came of it.
 *
 * @param {HTMLElement} form
 * @param {OrdersActions} actions
 * @param {() => Promise<string>} work
 */
function submitted(form, { say, failed }, work) {
  return async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault()
    const button = /** @type {HTMLButtonElement} */ (requireElement(form, 'button'))
    if (button.ariaBusy === 'true') return
    button.ariaBusy = 'true'
    say('')
    try {
      say(await work())
    } catch (error) {
      failed(error)
    } finally {
      button.ariaBusy = null
    }
  }
}

/**
 * @param {ParentNode} root
 * @param {string} selector
 */
function requireElement(root, selector) {
  const element = root.querySelector(selector)
  if (element instanceof HTMLElement) return element
  throw new Error(`the page has no ${selector}`)
}
