import { decodeJwt } from '/assets/jose/util/decode_jwt.js'
import { ResponseBodyError } from '/assets/oauth4webapi.js'
import { ApiProblem, call, Unreachable, unreadable } from '../api.js'

const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'
const ORDERS = new URL('/orders', location.origin).href

/** @typedef {{ id: string, name: string, email: string, protected: boolean }} Customer */
/** @typedef {{ ticketId: string, reason: string, scope: string, duration: number }} Why */

/**
 * One request of those that led to the token, with its answer, as they were.
 *
 * @typedef {object} Step
 * @property {string} url
 * @property {Record<string, string>} [headers]
 * @property {object} [json] the body, as JSON
 * @property {Record<string, string>} [form] the body, as a form
 * @property {unknown} answer
 */

/** Acting as a customer: a token, a purpose, and an end. */
export class Impersonation {
  /** @type {string | undefined} */
  #token
  customer
  why
  /** In milliseconds since the epoch, by the clock of this machine. */
  startedAt = Date.now()
  /** The same, by a clock that nobody can set, and that may stand still while the machine sleeps. */
  #started = performance.now()
  #lifetime
  #over = new AbortController()
  #changing = 0
  /** Values that are not to be shown, each with the name that stands for it. */
  secrets
  claims
  /** @type {readonly Step[]} */
  steps

  /**
   * @param {Customer} customer
   * @param {Why} why
   * @param {{ token: string, claims: Record<string, unknown>, expiresIn: number, secrets: Map<string, string>, steps: readonly Step[] }} granted
   */
  constructor(customer, why, { token, claims, expiresIn, secrets, steps }) {
    this.customer = customer
    this.why = why
    this.#token = token
    this.#lifetime = expiresIn * 1000
    this.secrets = secrets
    this.claims = claims
    this.steps = steps
  }

  /** Milliseconds until the end. Whoever puts the clock back gains nothing. */
  get left() {
    const passed = Math.max(Date.now() - this.startedAt, performance.now() - this.#started)
    return this.#lifetime - passed
  }

  /** Whether changes were asked for, and granted. */
  get mayWrite() {
    return String(this.claims.scope).split(' ').includes('orders:write')
  }

  /** @returns {string} the token itself, while there is one */
  get token() {
    if (this.#token === undefined || this.left <= 0) {
      throw new ApiProblem(401, 'invalid_token', 'the time is over')
    }
    return this.#token
  }

  /** Whether a change is on its way, and nobody knows yet what became of it. */
  get isChanging() {
    return this.#changing > 0
  }

  /** Nothing is left that could be used, and nothing goes on that was begun with it. */
  forget() {
    this.#token = undefined
    this.#over.abort()
    this.secrets = new Map()
    this.steps = []
  }

  /**
   * Asks the Orders API as the customer.
   *
   * @param {string} path
   * @param {Omit<import('../api.js').Call, 'token'>} [how]
   * @returns {Promise<any>}
   */
  async ask(path, how = {}) {
    const changes = how.method === undefined ? 0 : 1
    this.#changing += changes
    try {
      return await call(path, { ...how, token: this.token, signal: this.#over.signal })
    } finally {
      this.#changing -= changes
    }
  }
}

/**
 * Asks the support backend for a subject token, and exchanges it.
 *
 * @param {import('../oidc.js').OpenIdClient} client
 * @param {import('./operator.js').Operator} operator
 * @param {Customer} customer
 * @param {Why} why
 * @param {AbortSignal} signal
 * @throws what the backend or the provider said
 */
export async function impersonate(client, operator, customer, why, signal) {
  const path = '/support/impersonations'
  const json = { userId: customer.id, ...why }
  const issued = await operator.ask(path, {
    method: 'POST',
    body: json,
    has: 'subjectToken',
    signal,
  })

  const form = {
    subject_token: String(issued.subjectToken),
    subject_token_type: ACCESS_TOKEN_TYPE,
    actor_token: operator.token,
    actor_token_type: ACCESS_TOKEN_TYPE,
    resource: ORDERS,
    scope: why.scope,
  }
  const response = await client.exchange(form, signal).catch(inOurWords)
  const server = await client.discover()
  const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange'
  const token = response.access_token
  const expiresIn = Number(response.expires_in)
  if (!(expiresIn > 0)) throw unreadable(200)
  return new Impersonation(customer, why, {
    token,
    claims: claimsOf(token),
    expiresIn,
    secrets: new Map([
      [operator.token, 'OPERATOR_TOKEN'],
      [form.subject_token, 'SUBJECT_TOKEN'],
      [token, 'ACCESS_TOKEN'],
    ]),
    steps: [
      {
        url: new URL(path, location.origin).href,
        headers: { Authorization: `Bearer ${operator.token}` },
        json,
        answer: issued,
      },
      {
        url: String(server.token_endpoint),
        form: { grant_type, client_id: client.id, ...form },
        answer: response,
      },
    ],
  })
}

/** @param {string} token */
function claimsOf(token) {
  try {
    return decodeJwt(token)
  } catch {
    throw unreadable(200)
  }
}

/**
 * @param {unknown} error
 * @returns {never}
 */
function inOurWords(error) {
  if (error instanceof ResponseBodyError) {
    throw new ApiProblem(error.status, error.error, error.error_description ?? error.error)
  }
  throw new Unreachable(error)
}
