// Calls the orders API. Customer and operator use the same code: only the `fetch` that sends the
// token differs.

import { fill, words } from './words/words.js'

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
 * @property {'delivered' | 'paid' | 'shipped'} status
 * @property {string} [deliveryNote]
 * @property {{ userId: string, actor?: string | null, actorName?: string }} [changedBy]
 */

/**
 * @typedef {object} Customer
 * @property {string} name
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
      throw new OrdersProblem(words.problems.unreachable, { cause })
    })
    if (response.ok) return response.json()
    const { error } = await response.json().catch(() => ({}))
    if (response.status === 401) {
      throw new OrdersProblem(words.problems.signedOut, {
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
    const { problems, page } = words
    if (error === 'access_denied' && path === '/email') {
      return fill(problems.email, { name: customer?.name ?? page.customer })
    }
    if (error === 'access_denied' || error === 'insufficient_scope') return problems.lookOnly
    if (status === 404) return problems.gone
    if (status === 409) return problems.delivered
    if (status >= 500) return problems.trouble
    return path === '/email' ? problems.wrongEmail : problems.wrongNote
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
