import * as oauth from '/assets/oauth4webapi.js'
import { Unreachable } from './api.js'

const TIMEOUT_MS = 10_000
const OTHER_ISSUER = oauth.JSON_ATTRIBUTE_COMPARISON

/** Requests without the cookies of this origin. Only a token identifies the caller. */
const options = {
  [oauth.allowInsecureRequests]: location.protocol === 'http:',
  /** @type {(url: string, init: oauth.CustomFetchOptions<any, any>) => Promise<Response>} */
  [oauth.customFetch]: (url, init) =>
    fetch(url, { ...init, credentials: 'omit', referrerPolicy: 'no-referrer' }),
  signal: () => AbortSignal.timeout(TIMEOUT_MS),
}

/** A sign-in was refused, or this tab did not begin it. */
export class SignInFailed extends Error {
  /**
   * @param {string} message
   * @param {unknown} [cause]
   */
  constructor(message, cause) {
    super(message, { cause })
    this.name = 'SignInFailed'
  }
}

/**
 * @typedef {object} SignedIn
 * @property {string} accessToken
 * @property {string} subject
 */

/** A public client in the browser: authorization code with PKCE, tokens in memory only. */
export class OpenIdClient {
  #client
  #redirectUri
  #issuer = new URL('/oidc', location.origin)
  /** @type {Promise<oauth.AuthorizationServer> | undefined} */
  #discovered

  /**
   * @param {string} clientId
   * @param {string} callback the path that the provider redirects to
   */
  constructor(clientId, callback) {
    this.#client = { client_id: clientId }
    this.#redirectUri = new URL(callback, location.origin).href
  }

  get id() {
    return this.#client.client_id
  }

  /** The storage key for the data of a running sign-in. The data contains no token. */
  get #key() {
    return `sign-in ${this.#client.client_id}`
  }

  /**
   * @returns {Promise<oauth.AuthorizationServer>}
   * @throws {Unreachable | SignInFailed}
   */
  discover() {
    this.#discovered ??= oauth
      .discoveryRequest(this.#issuer, options)
      .then((response) => oauth.processDiscoveryResponse(this.#issuer, response))
      .catch((error) => {
        this.#discovered = undefined
        // The provider answered with another issuer: the page was opened under another address.
        if (error instanceof Error && 'code' in error && error.code === OTHER_ISSUER) {
          const address = location.origin
          throw new SignInFailed(
            `The provider is not the one of ${address}. Open this page under the provider's own address.`,
            error,
          )
        }
        throw new Unreachable(error)
      })
    return this.#discovered
  }

  /**
   * Redirects to the sign-in page of the provider.
   *
   * @param {{ again?: boolean }} [how] `again`: even if a person is signed in
   */
  async begin({ again = false } = {}) {
    const server = await this.discover()
    const verifier = oauth.generateRandomCodeVerifier()
    const state = oauth.generateRandomState()
    const nonce = oauth.generateRandomNonce()
    sessionStorage.setItem(this.#key, JSON.stringify({ verifier, state, nonce }))
    const url = new URL(String(server.authorization_endpoint))
    url.search = new URLSearchParams({
      client_id: this.#client.client_id,
      response_type: 'code',
      redirect_uri: this.#redirectUri,
      scope: 'openid',
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(again ? { prompt: 'login' } : {}),
    }).toString()
    location.assign(url)
  }

  /**
   * Finishes the sign-in if the provider redirected to this page. Removes the code from the URL at
   * once.
   *
   * @param {string} home the path of the page without the parameters of the provider
   * @returns {Promise<SignedIn | undefined>}
   * @throws {SignInFailed}
   */
  async finish(home) {
    const here = new URL(location.href)
    if (here.href.split(/[?#]/)[0] !== this.#redirectUri) return undefined
    history.replaceState(null, '', home)
    const begun = sessionStorage.getItem(this.#key)
    sessionStorage.removeItem(this.#key)
    if (here.search === '') return undefined
    if (begun === null) {
      throw new SignInFailed('This sign-in was begun in another tab, or is over already.')
    }
    const { verifier, state, nonce } = JSON.parse(begun)
    try {
      const server = await this.discover()
      const parameters = oauth.validateAuthResponse(server, this.#client, here, state)
      const response = await oauth.authorizationCodeGrantRequest(
        server,
        this.#client,
        oauth.None(),
        parameters,
        this.#redirectUri,
        verifier,
        options,
      )
      const client = { ...this.#client, [oauth.clockSkew]: skewOf(response) }
      const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
        expectedNonce: nonce,
        requireIdToken: true,
      })
      const subject = String(oauth.getValidatedIdTokenClaims(tokens)?.sub)
      return { accessToken: tokens.access_token, subject }
    } catch (error) {
      throw failureOf(error)
    }
  }

  /**
   * Token exchange (RFC 8693) for a token that is bound to a key.
   *
   * @param {Record<string, string>} parameters all except the client and the grant type
   * @param {import('./proof-key.js').ProofKey} key
   * @param {AbortSignal} signal
   * @returns {Promise<oauth.TokenEndpointResponse>}
   * @throws {oauth.ResponseBodyError} the error of the provider
   */
  async exchange(parameters, { dPoP }, signal) {
    const server = await this.discover()
    const ask = async () => {
      const response = await oauth.genericTokenEndpointRequest(
        server,
        this.#client,
        oauth.None(),
        'urn:ietf:params:oauth:grant-type:token-exchange',
        parameters,
        {
          ...options,
          DPoP: dPoP,
          signal: () => AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
        },
      )
      return oauth.processGenericTokenEndpointResponse(server, this.#client, response)
    }
    return ask().catch((error) => {
      // The clock of this machine is wrong. The nonce of the provider replaces it: RFC 9449 §8.
      if (oauth.isDPoPNonceError(error)) return ask()
      throw error
    })
  }

  /**
   * Redirects to the provider to sign out.
   *
   * @param {string} home the path to come back to
   */
  async signOut(home) {
    const server = await this.discover()
    const url = new URL(String(server.end_session_endpoint))
    url.search = new URLSearchParams({
      client_id: this.#client.client_id,
      post_logout_redirect_uri: new URL(home, location.origin).href,
    }).toString()
    location.assign(url)
  }
}

/**
 * The seconds by which the clock of this machine is behind the clock of the server. A wrong clock
 * would take a new ID token for one that has expired.
 *
 * @param {Response} response
 */
function skewOf(response) {
  const skew = Date.parse(response.headers.get('date') ?? '') - Date.now()
  return Number.isNaN(skew) ? 0 : Math.round(skew / 1000)
}

/** @param {unknown} error */
function failureOf(error) {
  if (error instanceof oauth.AuthorizationResponseError) {
    return error.error === 'access_denied'
      ? new SignInFailed('The sign-in was cancelled.', error)
      : new SignInFailed(`The provider did not let you in: ${error.error}.`, error)
  }
  if (error instanceof oauth.ResponseBodyError) {
    return new SignInFailed('The sign-in took too long, or is over already.', error)
  }
  if (error instanceof oauth.OperationProcessingError) {
    return new SignInFailed('The answer is not one to the sign-in of this tab.', error)
  }
  return new SignInFailed('The provider cannot be reached.', error)
}
