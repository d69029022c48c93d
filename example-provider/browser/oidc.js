import * as oauth from '/assets/oauth4webapi.js'
import { Unreachable } from './api.js'

const PATIENCE = 10_000
const OTHER_ISSUER = oauth.JSON_ATTRIBUTE_COMPARISON

/** Requests without the cookies of this origin: a token is all that counts. */
const options = {
  [oauth.allowInsecureRequests]: location.protocol === 'http:',
  /** @type {(url: string, init: oauth.CustomFetchOptions<any, any>) => Promise<Response>} */
  [oauth.customFetch]: (url, init) =>
    fetch(url, { ...init, credentials: 'omit', referrerPolicy: 'no-referrer' }),
  signal: () => AbortSignal.timeout(PATIENCE),
}

/** A sign-in came back that this tab did not begin, or that was refused. */
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

/** A public client in the browser: authorization code with PKCE, tokens in memory alone. */
export class OpenIdClient {
  #client
  #redirectUri
  #issuer = new URL('/oidc', location.origin)
  /** @type {Promise<oauth.AuthorizationServer> | undefined} */
  #discovered

  /**
   * @param {string} clientId
   * @param {string} callback the path that the provider sends people back to
   */
  constructor(clientId, callback) {
    this.#client = { client_id: clientId }
    this.#redirectUri = new URL(callback, location.origin).href
  }

  get id() {
    return this.#client.client_id
  }

  /** What a sign-in must remember while the page is away. No token is among it. */
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
        // It answered, and calls itself by another name: a page opened under another address.
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
   * Leaves the page for the provider's sign-in.
   *
   * @param {{ again?: boolean }} [how] `again`: even if somebody is signed in
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
   * Finishes the sign-in that led to this page, if one did. The code leaves the address at once.
   *
   * @param {string} home the path of the page without what the provider added
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
      const tokens = await oauth.processAuthorizationCodeResponse(server, this.#client, response, {
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
   * RFC 8693.
   *
   * @param {Record<string, string>} parameters all but the client and the grant type
   * @param {AbortSignal} signal
   * @returns {Promise<oauth.TokenEndpointResponse>}
   * @throws {oauth.ResponseBodyError} what the provider said
   */
  async exchange(parameters, signal) {
    const server = await this.discover()
    const response = await oauth.genericTokenEndpointRequest(
      server,
      this.#client,
      oauth.None(),
      'urn:ietf:params:oauth:grant-type:token-exchange',
      parameters,
      { ...options, signal: () => AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]) },
    )
    return oauth.processGenericTokenEndpointResponse(server, this.#client, response)
  }

  /**
   * Leaves the page to sign out at the provider.
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
