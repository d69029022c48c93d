// Keeps text that an operator has typed and not saved, also when the time has ended. It stays in
// the memory of the tab in which it was typed. A new tab in which the same operator acts as the
// same customer asks the other tabs of this origin for it. The new tab shows it, and never saves
// it by itself.

/**
 * @typedef {object} Who
 * @property {string | undefined} userId the customer
 * @property {{ readonly sub: string }} actor the operator
 */

const CHANNEL_NAME = 'shop: typed and not saved'

/** No field is longer, and no page has more of them. */
const MAX_FIELD_LENGTH = 254
const MAX_FIELDS = 100

/**
 * The fields of the page by name: `email`, and `note` with the id of the order.
 *
 * @returns {Map<string, HTMLInputElement>}
 */
function findFields() {
  const fields = new Map()
  for (const input of document.querySelectorAll('#account input[name]')) {
    if (input instanceof HTMLInputElement) fields.set(input.name, input)
  }
  return fields
}

/**
 * Shares what is typed with the other tabs in which this operator acts as this customer.
 *
 * @param {Who} who
 * @param {object} page
 * @param {() => void} page.movedOn a new tab acts, after the end of this one
 * @param {() => void} page.returned what was typed in another tab is back, in the fields of this one
 */
export function shareTyped({ userId, actor: { sub: operator } }, { movedOn, returned }) {
  /** @type {Map<string, string>} */
  const kept = new Map()
  const channel = new BroadcastChannel(CHANNEL_NAME)
  const announce = (/** @type {string} */ kind, /** @type {object} */ more = {}) =>
    channel.postMessage({ kind, userId, operator, ...more })

  channel.onmessage = ({ data }) => {
    if (data?.userId !== userId || data?.operator !== operator) return
    if (data.kind === 'asks') {
      movedOn()
      if (kept.size > 0) announce('typed', { typed: [...kept] })
    }
    if (data.kind === 'typed') take(data.typed)
    if (data.kind === 'has') for (const name of data.names) kept.delete(name)
  }

  /**
   * A field in which this tab has typed already stays as it is.
   *
   * @param {readonly [string, string][]} typed
   */
  function take(typed) {
    const fields = findFields()
    const names = []
    for (const [name, text] of typed.slice(0, MAX_FIELDS)) {
      const input = fields.get(name)
      if (!input || typeof text !== 'string' || text.length > MAX_FIELD_LENGTH) continue
      if (input.value === input.defaultValue) input.value = text
      names.push(name)
    }
    if (names.length === 0) return
    announce('has', { names })
    returned()
  }

  return {
    /** Asks the other tabs for what was typed in them. */
    ask: () => announce('asks'),
    /**
     * Keeps what is in the fields now and was not there when they were filled.
     *
     * @returns {boolean} whether there is any
     */
    keep() {
      for (const [name, { value, defaultValue }] of findFields()) {
        if (value !== defaultValue) kept.set(name, value)
      }
      return kept.size > 0
    },
  }
}
