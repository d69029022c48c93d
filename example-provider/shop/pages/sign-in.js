// The customer's own sign-in: authorization code with PKCE. The token stays in the memory of the page.
import * as oauth from 'oauth4webapi'
import { words } from './words/words.js'

const STORAGE_KEY = 'shop sign-in'

/** The sign-in did not work. The message is for the person. */
export class SignInFailed extends Error {}

/**
 * @typedef {object} SignInOptions
 * @property {string} issuer
 * @property {string} clientId
 * @property {string} redirectUri
 * @property {string} resource
 * @property {string} scope of the resource
 */

/** @param {SignInOptions} options */
export function signIn({ issuer, clientId, redirectUri, resource, scope }) {
  const client = { client_id: clientId }
  const insecure = { [oauth.allowInsecureRequests]: new URL(issuer).protocol === 'http:' }

  async function discover() {
    const url = new URL(issuer)
    return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, insecure))
  }

  return {
    /** Goes to the provider's sign-in page. */
    async begin() {
      const server = await discover()
      const verifier = oauth.generateRandomCodeVerifier()
      const state = oauth.generateRandomState()
      const nonce = oauth.generateRandomNonce()
      sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ verifier, state, nonce }))
      const url = new URL(String(server.authorization_endpoint))
      url.search = new URLSearchParams({
        client_id: clientId,
        response_type: 'code',
        redirect_uri: redirectUri,
        resource,
        scope: `openid ${scope}`,
        state,
        nonce,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      }).toString()
      location.assign(url)
    },

    /**
     * Finishes a sign-in that the provider sent back to this page.
     *
     * @returns {Promise<{ userId: string, accessToken: string } | undefined>}
     */
    async finish() {
      const here = new URL(location.href)
      if (here.origin + here.pathname !== redirectUri) return undefined
      history.replaceState(null, '', '/')
      const begun = sessionStorage.getItem(STORAGE_KEY)
      sessionStorage.removeItem(STORAGE_KEY)
      if (begun === null) return undefined
      const { verifier, state, nonce } = JSON.parse(begun)
      try {
        const server = await discover()
        const parameters = oauth.validateAuthResponse(server, client, here, state)
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          oauth.None(),
          parameters,
          redirectUri,
          verifier,
          { ...insecure, additionalParameters: { resource } },
        )
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
          expectedNonce: nonce,
          requireIdToken: true,
        })
        const userId = String(oauth.getValidatedIdTokenClaims(tokens)?.sub)
        return { userId, accessToken: tokens.access_token }
      } catch (error) {
        throw new SignInFailed(words.problems.notSignedIn, { cause: error })
      }
    },

    /** Signs out at the provider, too. */
    async signOut() {
      const server = await discover()
      const url = new URL(String(server.end_session_endpoint))
      url.search = new URLSearchParams({
        client_id: clientId,
        post_logout_redirect_uri: new URL('/', location.href).href,
      }).toString()
      location.assign(url)
    },
  }
}
