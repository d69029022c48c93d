/** How long an API may take to answer, in milliseconds. */
const PATIENCE = 10_000

/** An API answered, and it was not success. The message is the API's own. */
export class ApiProblem extends Error {
  /**
   * @param {number} status
   * @param {string} error
   * @param {string} description
   */
  constructor(status, error, description) {
    super(description)
    this.name = 'ApiProblem'
    this.status = status
    this.error = error
  }

  /** As the API said it. */
  get words() {
    return `${this.status} ${this.error}: ${this.message}`
  }
}

/** There was no answer. */
export class Unreachable extends Error {
  /** @param {unknown} cause */
  constructor(cause) {
    super('There is no answer from the server.', { cause })
    this.name = 'Unreachable'
  }
}

/**
 * @typedef {object} Call
 * @property {string} [token] an access token, which goes into the header and nowhere else
 * @property {string} [method]
 * @property {unknown} [body] sent as JSON
 * @property {string} [has] the member without which the answer is none
 * @property {AbortSignal} [signal]
 * @property {boolean} [keepalive] whether it is sent even if the page goes away
 */

/**
 * Sends a request with an access token, without the cookies of this origin, and gives the response.
 * How long to wait is for the caller to say.
 *
 * @param {string} path
 * @param {Call} call
 * @returns {Promise<Response>}
 * @throws {ApiProblem | Unreachable}
 */
export async function request(path, { token, method = 'GET', body, signal, keepalive = false }) {
  /** @type {Record<string, string>} */
  const headers = { accept: 'application/json' }
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  if (body !== undefined) headers['content-type'] = 'application/json'
  let response
  try {
    response = await fetch(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      keepalive,
      ...(signal ? { signal } : {}),
    })
  } catch (cause) {
    throw new Unreachable(cause)
  }
  if (!response.ok) throw await problemOf(response)
  return response
}

/**
 * The same, with some patience, and gives the JSON of the answer; `undefined` where it has none.
 *
 * @param {string} path
 * @param {Call} call
 * @returns {Promise<any>} what the example's own servers say, in their words
 * @throws {ApiProblem | Unreachable}
 */
export async function call(path, { has, ...call }) {
  const patience = AbortSignal.timeout(PATIENCE)
  const signal = call.signal ? AbortSignal.any([patience, call.signal]) : patience
  const response = await request(path, { ...call, signal })
  if (response.status === 204) return undefined
  const answer = await response.json().catch((cause) => {
    if (cause instanceof SyntaxError) throw unreadable(response.status)
    throw new Unreachable(cause)
  })
  if (has !== undefined && !Object.hasOwn(Object(answer), has)) throw unreadable(response.status)
  return answer
}

/**
 * An answer of whoever it may be: a proxy, or the page of a hotel's network.
 *
 * @param {number} status
 */
export function unreadable(status) {
  return new ApiProblem(status, 'unexpected', 'the answer could not be read')
}

/** @param {Response} response */
async function problemOf(response) {
  try {
    const { error, error_description: description } = await response.json()
    return new ApiProblem(response.status, String(error), String(description ?? error))
  } catch {
    return unreadable(response.status)
  }
}
