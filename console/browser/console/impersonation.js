import { decodeJwt } from '/assets/jose/util/decode_jwt.js'
import { ResponseBodyError } from '/assets/oauth4webapi.js'
import { ApiProblem, call, Unreachable, unreadable } from '../api.js'
import { ProofKey } from '../proof-key.js'
import { Ending } from './ending.js'

const ACCESS_TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:access_token'
const ORDERS = new URL('/orders', location.origin).href

/** @typedef {{ id: string, name: string, email: string, protected: boolean }} Customer */
/** @typedef {{ ticketId: string, reason: string, scope: string, duration: number }} Why */

/**
 * One of the requests that led to the token, with its answer, both unchanged.
 *
 * @typedef {object} Step
 * @property {string} url
 * @property {Record<string, string>} [headers]
 * @property {object} [json] the body, as JSON
 * @property {Record<string, string>} [form] the body, as a form
 * @property {unknown} answer
 */

/** One impersonation: a token, a reason, and an end. */
export class Impersonation {
  /** @type {string | undefined} */
  #token
  /** The key that the token is bound to. @type {ProofKey | undefined} */
  #key
  customer
  why
  /** In milliseconds since the epoch, by the clock of this machine. */
  startedAt = Date.now()
  /** The same moment by a clock that cannot be set, but may stop while the machine sleeps. */
  #started = performance.now()
  #lifetime
  #ending
  #over = new AbortController()
  #changing = 0
  /** Values that the page hides, each with the name shown in its place. */
  secrets
  claims
  /** @type {readonly Step[]} */
  steps

  /**
   * @param {Customer} customer
   * @param {Why} why
   * @param {{ token: string, key: ProofKey, endpoint: string, claims: Record<string, unknown>, expiresIn: number, secrets: Map<string, string>, steps: readonly Step[] }} granted
   */
  constructor(customer, why, { token, key, endpoint, claims, expiresIn, secrets, steps }) {
    this.customer = customer
    this.why = why
    this.#token = token
    this.#key = key
    this.#lifetime = expiresIn * 1000
    this.#ending = new Ending(endpoint, token, key)
    this.secrets = secrets
    this.claims = claims
    this.steps = steps
  }

  /** Milliseconds until the end. Setting the clock back does not add time. */
  get left() {
    const passed = Math.max(Date.now() - this.startedAt, performance.now() - this.#started)
    return this.#lifetime - passed
  }

  /** Whether the operator asked for the right to change data, and got it. */
  get mayWrite() {
    return String(this.claims.scope).split(' ').includes('orders:write')
  }

  /** @returns {(path: string, init: RequestInit) => Promise<Response>} while there is a token */
  get #send() {
    const token = this.#token
    const key = this.#key
    if (token === undefined || !key || this.left <= 0) {
      throw new ApiProblem(401, 'invalid_token', 'the time is over')
    }
    return (path, init) => key.fetch(token, path, init)
  }

  /** Whether a change is sent and its result is not known yet. */
  get isChanging() {
    return this.#changing > 0
  }

  /** Removes the token and the key, and aborts the requests that use them. */
  forget() {
    this.#token = undefined
    this.#key = undefined
    this.#ending.stop()
    this.#over.abort()
    this.secrets = new Map()
    this.steps = []
  }

  /**
   * Forgets it, and ends it at the provider.
   *
   * @param {(error: unknown) => void} [onTrouble] called once, if the provider does not take it yet
   * @returns {Promise<void>} resolves when it has ended there
   */
  end(onTrouble = () => {}) {
    this.forget()
    return this.#ending.send(() => this.left, onTrouble)
  }

  /**
   * Sends a request to the Orders API as the customer.
   *
   * @param {string} path
   * @param {Omit<import('../api.js').Call, 'token' | 'send'>} [how]
   * @returns {Promise<any>}
   */
  async ask(path, how = {}) {
    const changes = how.method === undefined ? 0 : 1
    this.#changing += changes
    try {
      return await call(path, { ...how, send: this.#send, signal: this.#over.signal })
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
 * @throws the error of the backend or the provider
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
  const key = await ProofKey.generate()
  const response = await client.exchange(form, key, signal).catch(inOurWords)
  const server = await client.discover()
  const grant_type = 'urn:ietf:params:oauth:grant-type:token-exchange'
  const token = response.access_token
  const expiresIn = Number(response.expires_in)
  // The client asked for a token that is bound to a key. A bearer token would have no proof.
  if (!(expiresIn > 0) || response.token_type !== 'dpop') throw unreadable(200)
  const claims = claimsOf(token)
  key.setClock(Number(claims.iat))
  return new Impersonation(customer, why, {
    token,
    key,
    endpoint: String(server.impersonation_end_endpoint),
    claims,
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
