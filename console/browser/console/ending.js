import { ApiProblem, call } from '../api.js'
import { endInWords } from './audit-entry.js'

/** Pauses before the end is asked for again, in milliseconds. */
const PAUSES = [1000, 2000, 5000, 10_000]
/** How often the proof is renewed, in milliseconds. The provider takes one for five minutes. */
const RENEW_EVERY = 120_000

/**
 * Ends an impersonation at the provider, by its own token, so that no copy of the token works any
 * more.
 */
export class Ending {
  #url
  #token
  #key
  /** Made in advance: a closing page has no time for a signature. @type {Record<string, string> | undefined} */
  #signed
  #renewal

  /**
   * @param {string} url
   * @param {string} token
   * @param {import('../proof-key.js').ProofKey} key
   */
  constructor(url, token, key) {
    this.#url = url
    this.#token = token
    this.#key = key
    const renew = async () => {
      this.#signed = await key.sign(token, 'POST', url)
    }
    void renew()
    this.#renewal = setInterval(renew, RENEW_EVERY)
  }

  /** Makes no more proofs. */
  stop() {
    clearInterval(this.#renewal)
  }

  /**
   * Sends the request, and sends it again while the provider does not take it.
   *
   * @param {() => number} left milliseconds until the token expires
   * @param {(error: unknown) => void} onTrouble called once, at the first failure
   * @returns {Promise<void>} resolves when it has ended
   */
  async send(left, onTrouble) {
    this.stop()
    for (let failures = 0; left() > 0; failures += 1) {
      try {
        return await this.#sendOnce()
      } catch (error) {
        // It has ended already.
        if (error instanceof ApiProblem && error.error === 'invalid_token') return
        if (failures === 0) onTrouble(error)
      }
      const pause = PAUSES[Math.min(failures, PAUSES.length - 1)]
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }

  /** @returns {Promise<void>} */
  #sendOnce() {
    const signed = this.#signed
    this.#signed = undefined
    return call(this.#url, {
      method: 'POST',
      keepalive: true,
      send: signed
        ? (url, init) => fetch(url, { ...init, headers: { ...init.headers, ...signed } })
        : (url, init) => this.#key.fetch(this.#token, url, init),
    })
  }
}

/**
 * Finds out, from the audit, how an impersonation ended whose token is refused.
 *
 * @param {import('./operator.js').Operator} operator
 * @param {import('./impersonation.js').Impersonation} refused
 * @returns {Promise<string | undefined>} a sentence
 */
export async function findEnd(operator, { customer, claims }) {
  const query = new URLSearchParams({ event: 'impersonation.ended', subject: customer.id })
  const { entries } = await operator.ask(`/support/audit?${query}`, { has: 'entries' })
  const found = entries.find(
    (/** @type {import('./audit-entry.js').Entry} */ { id }) =>
      claims.jti === `impersonation:${id}`,
  )
  return found && endInWords(found)
}
