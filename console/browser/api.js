/** How long an API may take to answer, in milliseconds. */
const TIMEOUT_MS = 10_000

/** The API answered with an error. The message is the API's own. */
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

  /** The error as the API answered it. */
  get words() {
    return `${this.status} ${this.error}: ${this.message}`
  }
}

/** The server did not answer. */
export class Unreachable extends Error {
  /** @param {unknown} cause */
  constructor(cause) {
    super('There is no answer from the server.', { cause })
    this.name = 'Unreachable'
  }
}

/**
 * @typedef {object} Call
 * @property {string} [token] a bearer token, which goes only into the header
 * @property {(path: string, init: RequestInit) => Promise<Response>} [send] replaces `fetch` for a
 *   token that is not a bearer token; it adds the proof of possession
 * @property {string} [method]
 * @property {unknown} [body] sent as JSON
 * @property {string} [has] a member that the answer must have
 * @property {AbortSignal} [signal]
 * @property {boolean} [keepalive] whether the request is sent even if the page closes
 */

/**
 * Sends a request with an access token and without the cookies of this origin. Returns the
 * response. The caller sets the timeout.
 *
 * @param {string} path
 * @param {Call} call
 * @returns {Promise<Response>}
 * @throws {ApiProblem | Unreachable}
 */
export async function request(path, call) {
  const { token, send = fetch, method = 'GET', body, signal, keepalive = false } = call
  /** @type {Record<string, string>} */
  const headers = { accept: 'application/json' }
  if (token !== undefined) headers.authorization = `Bearer ${token}`
  if (body !== undefined) headers['content-type'] = 'application/json'
  let response
  try {
    response = await send(path, {
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
 * Sends a request with a timeout and returns the JSON of the answer; `undefined` without a body.
 *
 * @param {string} path
 * @param {Call} call
 * @returns {Promise<any>} the JSON of the example's own servers
 * @throws {ApiProblem | Unreachable}
 */
export async function call(path, { has, ...call }) {
  const patience = AbortSignal.timeout(TIMEOUT_MS)
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
 * Makes the problem for an answer that may come from another server: a proxy, or the sign-in page
 * of a hotel network.
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
