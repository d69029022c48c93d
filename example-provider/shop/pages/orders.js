// What the page does with the orders API. Customer and operator use the same code: what differs is
// the `fetch` that sends the token.

/** The API refused, or did not answer. The message is for the person. */
export class OrdersProblem extends Error {
  /**
   * @param {string} message
   * @param {ErrorOptions & { isSignedOut?: boolean }} [options] `isSignedOut`: the token is worth
   * nothing any more
   */
  constructor(message, { isSignedOut = false, ...options } = {}) {
    super(message, options)
    this.isSignedOut = isSignedOut
  }
}

/**
 * @typedef {object} Order
 * @property {string} id
 * @property {string} item
 * @property {number} total in euros
 * @property {string} status
 * @property {string} [deliveryNote]
 * @property {{ subject: string, actor?: string | null, actorName?: string }} [changedBy]
 */

/**
 * @typedef {object} Customer
 * @property {string} name
 * @property {string} givenName
 * @property {string} possessive *her*, *his* or *their*
 */

/**
 * @param {string} url of the API
 * @param {(url: string, init: RequestInit) => Promise<Response>} send adds the access token
 */
export function ordersApi(url, send) {
  let customer = /** @type {Customer | undefined} */ (undefined)

  /**
   * @param {string} method
   * @param {string} path
   * @param {Record<string, string>} [body]
   */
  async function ask(method, path, body) {
    const json = body && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }
    const response = await send(url + path, { method, ...json }).catch((cause) => {
      throw new OrdersProblem('The shop cannot be reached. Try again in a moment.', { cause })
    })
    if (response.ok) return response.json()
    const { error } = await response.json().catch(() => ({}))
    if (response.status === 401) {
      throw new OrdersProblem('You are signed out. Sign in again to go on.', {
        isSignedOut: true,
      })
    }
    throw new OrdersProblem(inWords(response.status, error, path))
  }

  /**
   * @param {number} status
   * @param {string | undefined} error
   * @param {string} path
   */
  function inWords(status, error, path) {
    if (error === 'access_denied' && path === '/email') {
      const { givenName = 'the customer', possessive = 'the' } = customer ?? {}
      return `Only ${givenName} can change ${possessive} e-mail address.`
    }
    if (error === 'access_denied' || error === 'insufficient_scope') {
      return 'You can look at everything here, and change nothing. To change something, start again with “Look and change”.'
    }
    if (status === 404) return 'There is no such order any more. Reload the page.'
    if (status === 409) return 'This order is delivered: its note cannot be changed any more.'
    if (status >= 500) return 'The shop has a problem. Try again in a moment.'
    return path === '/email'
      ? 'This is not an e-mail address that the shop can use.'
      : 'This note cannot be saved. Use at most 200 characters, and no special ones.'
  }

  return {
    /** @returns {Promise<{ orders: Order[], customer?: Customer, actorName?: string, email?: string }>} */
    async list() {
      const answer = await ask('GET', '')
      customer = answer.customer
      return answer
    },
    /**
     * @param {string} id
     * @param {string} deliveryNote an empty one removes it
     * @returns {Promise<Order>}
     */
    changeNote: (id, deliveryNote) => ask('PATCH', `/${encodeURIComponent(id)}`, { deliveryNote }),
    /** @param {string} email */
    changeEmail: (email) => ask('PUT', '/email', { email }),
  }
}
