// What an operator has typed and not saved survives the end of the time. It stays in the memory of
// the tab in which it was typed. A new tab in which the same operator acts as the same customer asks
// the other tabs of this origin for it. It is shown there, and never saved by itself.

/**
 * @typedef {object} Who
 * @property {string | undefined} subject the customer
 * @property {string} actor the operator
 */

const CHANNEL = 'shop: typed and not saved'

/** How long a tab that acts may take to say that it gives way, in milliseconds. */
const ANSWER_MS = 150
/** How long it may then take to do so. */
const GIVE_WAY_MS = 5000

/** No field is longer, and no page has more of them. */
const LONGEST = 254
const MOST_FIELDS = 100

/**
 * The fields of the page by name: `email`, and `note` with the id of the order.
 *
 * @returns {Map<string, HTMLInputElement>}
 */
function fieldsOf() {
  const fields = new Map()
  for (const input of document.querySelectorAll('#account input[name]')) {
    if (input instanceof HTMLInputElement) fields.set(input.name, input)
  }
  return fields
}

/**
 * A link to act was opened here. A tab that acts, and whose time is nearly over, gives way: only one
 * tab of this origin acts at a time.
 */
export async function askToGiveWay() {
  const channel = new BroadcastChannel(CHANNEL)
  const { promise, resolve } = Promise.withResolvers()
  const timer = setTimeout(resolve, ANSWER_MS)
  channel.onmessage = ({ data }) => {
    if (data?.kind === 'waits') {
      clearTimeout(timer)
      setTimeout(resolve, GIVE_WAY_MS)
    }
    if (data?.kind === 'gave way') resolve(undefined)
  }
  channel.postMessage({ kind: 'arriving' })
  await promise
  channel.close()
}

/**
 * Shares what is typed with the other tabs in which this operator acts as this customer.
 *
 * @param {Who} who
 * @param {object} page
 * @param {() => boolean} page.isNearlyOver whether this tab gives way to a new one
 * @param {() => Promise<void>} page.end
 * @param {() => void} page.movedOn a new tab acts, after the end of this one
 * @param {() => void} page.returned what was typed in another tab is back, in the fields of this one
 */
export function shareTyped({ subject, actor }, { isNearlyOver, end, movedOn, returned }) {
  /** @type {Map<string, string>} */
  const kept = new Map()
  const channel = new BroadcastChannel(CHANNEL)
  const tell = (/** @type {string} */ kind, /** @type {object} */ more = {}) =>
    channel.postMessage({ kind, subject, actor, ...more })

  channel.onmessage = ({ data }) => {
    if (data?.kind === 'arriving' && isNearlyOver()) void giveWay()
    if (data?.subject !== subject || data?.actor !== actor) return
    if (data.kind === 'asks') {
      movedOn()
      if (kept.size > 0) tell('typed', { typed: [...kept] })
    }
    if (data.kind === 'typed') take(data.typed)
    if (data.kind === 'has') for (const name of data.names) kept.delete(name)
  }

  async function giveWay() {
    tell('waits')
    // Where it cannot be ended, the new tab says that this one still acts.
    await end().catch(() => {})
    tell('gave way')
  }

  /**
   * A field in which this tab has typed already stays as it is.
   *
   * @param {readonly [string, string][]} typed
   */
  function take(typed) {
    const fields = fieldsOf()
    const names = []
    for (const [name, text] of typed.slice(0, MOST_FIELDS)) {
      const input = fields.get(name)
      if (!input || typeof text !== 'string' || text.length > LONGEST) continue
      if (input.value === input.defaultValue) input.value = text
      names.push(name)
    }
    if (names.length === 0) return
    tell('has', { names })
    returned()
  }

  return {
    /** Asks the other tabs for what was typed in them. */
    ask: () => tell('asks'),
    /**
     * Keeps what is in the fields now and was not there when they were filled.
     *
     * @returns {boolean} whether there is any
     */
    keep() {
      for (const [name, { value, defaultValue }] of fieldsOf()) {
        if (value !== defaultValue) kept.set(name, value)
      }
      return kept.size > 0
    },
  }
}
