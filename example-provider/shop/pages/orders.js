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
 * @property {{ subject: string, actor?: string | null }} [changedBy]
 */

/**
 * @param {string} url of the API
 * @param {(url: string, init: RequestInit) => Promise<Response>} send adds the access token
 */
export function ordersApi(url, send) {
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
    const { error, error_description: description } = await response.json().catch(() => ({}))
    if (response.status === 401) {
      throw new OrdersProblem('You are signed out. Sign in again to go on.', {
        isSignedOut: true,
      })
    }
    throw new OrdersProblem(inWords(response.status, error, path, description))
  }

  return {
    /** @returns {Promise<{ orders: Order[], email?: string }>} */
    list: () => ask('GET', ''),
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

/**
 * @param {number} status
 * @param {string | undefined} error
 * @param {string} path
 * @param {string | undefined} description
 */
function inWords(status, error, path, description) {
  if (error === 'access_denied' && path === '/email') {
    return 'Only the customer can change the e-mail address. Ask them to do it themselves.'
  }
  if (error === 'insufficient_scope') {
    return 'You may look, but not change anything: this impersonation is read-only.'
  }
  if (status >= 500) return 'The shop has a problem. Try again in a moment.'
  return `This was refused: ${description ?? error ?? status}.`
}
