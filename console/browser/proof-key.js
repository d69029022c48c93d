import * as oauth from '/assets/oauth4webapi.js'

/**
 * A key that an access token is bound to: RFC 9449. It is in the memory of this page. The page can
 * sign with the key, but cannot read it.
 */
export class ProofKey {
  /** For requests to the token endpoint. */
  dPoP
  /** The time for proofs, in seconds since the epoch. */
  #now = () => Date.now() / 1000

  /** @param {CryptoKeyPair} keyPair */
  constructor(keyPair) {
    this.dPoP = oauth.DPoP({}, keyPair, {
      [oauth.modifyAssertion]: (_header, payload) => {
        payload.iat = Math.floor(this.#now())
      },
    })
  }

  static async generate() {
    return new ProofKey(await oauth.generateKeyPair('ES256', { extractable: false }))
  }

  /**
   * Uses the clock of the server from now on. The clock of this machine may be wrong, and the
   * server refuses a proof with a wrong time.
   *
   * @param {number} seconds since the epoch, from the server's last answer
   */
  setClock(seconds) {
    const date = Date.now()
    const started = performance.now()
    // The first clock may be set back, the second may stop while the machine sleeps.
    const passed = () => Math.max(Date.now() - date, performance.now() - started) / 1000
    this.#now = () => seconds + passed()
  }

  /**
   * Makes the headers of a request that is sent later: once, and within a few minutes.
   *
   * @param {string} token
   * @param {string} method
   * @param {string} path
   * @returns {Promise<Record<string, string>>}
   */
  async sign(token, method, path) {
    /** @type {Record<string, string>} */
    let signed = {}
    await oauth.protectedResourceRequest(
      token,
      method,
      new URL(path, location.origin),
      new Headers(),
      null,
      {
        DPoP: this.dPoP,
        [oauth.allowInsecureRequests]: location.protocol === 'http:',
        [oauth.customFetch]: async (_url, { headers }) => {
          signed = headers
          return new Response()
        },
      },
    )
    return signed
  }

  /**
   * Calls `fetch` with a token that is bound to this key, and a proof for this one request.
   *
   * @param {string} token
   * @param {string} path
   * @param {RequestInit} init
   * @returns {Promise<Response>}
   */
  async fetch(token, path, init) {
    const url = new URL(path, location.origin)
    const headers = new Headers(init.headers)
    try {
      return await oauth.protectedResourceRequest(token, init.method ?? 'GET', url, headers, null, {
        DPoP: this.dPoP,
        [oauth.allowInsecureRequests]: location.protocol === 'http:',
        [oauth.customFetch]: (_url, proven) => fetch(path, { ...init, headers: proven.headers }),
      })
    } catch (error) {
      // The server answered, and the response says more than this error.
      if (error instanceof oauth.WWWAuthenticateChallengeError) return error.response
      throw error
    }
  }
}
