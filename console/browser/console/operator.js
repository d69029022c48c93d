import { ApiProblem, call, request } from '../api.js'

/** The provider no longer accepts the operator's token. */
export class SignedOut extends Error {
  /** @param {unknown} cause */
  constructor(cause) {
    super('signed out', { cause })
    this.name = 'SignedOut'
  }
}

/** The signed-in operator. The token is in memory only, for as long as the page is open. */
export class Operator {
  #token
  name = ''
  id = ''

  /** @param {string} token */
  constructor(token) {
    this.#token = token
  }

  /** @returns {string} for the exchange, as the actor token */
  get token() {
    return this.#token
  }

  /**
   * Sends a request to the support backend.
   *
   * @param {string} path
   * @param {Omit<import('../api.js').Call, 'token'>} [how]
   * @returns {Promise<any>}
   * @throws {SignedOut | ApiProblem | import('../api.js').Unreachable}
   */
  ask(path, how = {}) {
    return call(path, { ...how, token: this.#token }).catch(signedOut)
  }

  /**
   * @param {string} path
   * @param {AbortSignal} signal
   * @returns {Promise<Response>} with a body that does not end
   */
  stream(path, signal) {
    return request(path, { token: this.#token, signal }).catch(signedOut)
  }
}

/**
 * @param {unknown} error
 * @returns {never}
 */
function signedOut(error) {
  if (error instanceof ApiProblem && error.status === 401) throw new SignedOut(error)
  throw error
}
