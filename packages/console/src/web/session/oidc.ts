import * as oauth from 'oauth4webapi'
import { HOME_PATH } from '../kit/router.tsx'
import { CLIENT_ID, OIDC_PROVIDER } from './provider.ts'
import { Unreachable } from './session.ts'
import { startStopwatch } from './stopwatch.ts'

const TIMEOUT_MS = 10_000
const OIDC_CLIENT: oauth.Client = { client_id: CLIENT_ID }
const REDIRECT_URI = `${location.origin}${HOME_PATH}/callback`

/** The key in the session storage for a sign-in that was begun. It contains no token. */
const STORAGE_KEY = `sign-in ${CLIENT_ID}`

/** The provider wants to see the person: nothing is wrong. */
const NEEDS_PERSON: readonly string[] = [
  'account_selection_required',
  'consent_required',
  'interaction_required',
  'login_required',
]

export type SignInTrouble = 'cancelled' | 'elsewhere' | 'late' | 'nowhere' | 'refused'

/** A sign-in was refused, or this tab did not begin it. */
export class SignInFailed extends Error {
  readonly why: SignInTrouble

  constructor(why: SignInTrouble, cause?: unknown) {
    super(`the sign-in failed: ${why}`, { cause })
    this.name = 'SignInFailed'
    this.why = why
  }
}

/** Tokens of a signed-in person: in memory only. */
export interface SignInTokens {
  readonly accessToken: string
  readonly idToken: string
  readonly sub: string
  /** How long the access token lives, in milliseconds. */
  readonly lifetime: number
  /** The milliseconds that are left of it. */
  left(): number
}

/** How a redirect ended, with the address that the person was at before. */
export interface Returned {
  /** `undefined`: the provider was asked without showing anything, and wants to see the person. */
  readonly signedIn: SignInTokens | undefined
  readonly trouble?: unknown
}

interface BegunSignIn {
  readonly verifier: string
  readonly state: string
  readonly nonce: string
}

async function begin(prompt: 'login' | 'none' | undefined): Promise<[BegunSignIn, URL]> {
  const begun = {
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
  }
  const url = new URL(OIDC_PROVIDER.authorization_endpoint)
  url.search = new URLSearchParams({
    client_id: CLIENT_ID,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: 'openid',
    state: begun.state,
    nonce: begun.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(begun.verifier),
    code_challenge_method: 'S256',
    ...(prompt === undefined ? {} : { prompt }),
  }).toString()
  return [begun, url]
}

let isLeavingPage = false

/** Whether the browser is on its way to the provider: what fails now does not matter. */
export function isLeaving(): boolean {
  return isLeavingPage
}

/**
 * Goes to the provider. The way back leads to the very address that is shown now.
 *
 * @param prompt `login`: even if a person is signed in; `none`: without showing anything
 */
export async function leaveToSignIn(prompt?: 'login' | 'none'): Promise<void> {
  const [begun, url] = await begin(prompt)
  const address = location.href.slice(location.origin.length)
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ ...begun, address }))
  isLeavingPage = true
  location.assign(url)
}

/**
 * Finishes a sign-in if the provider redirected to this page. The code leaves the address at once.
 *
 * @returns `undefined` where this page is no answer of the provider
 */
export async function finishSignIn(): Promise<Returned | undefined> {
  const here = new URL(location.href)
  if (here.origin + here.pathname !== REDIRECT_URI) return undefined
  const begun = takeBegun()
  history.replaceState(null, '', begun?.address ?? HOME_PATH)
  if (here.search === '') return { signedIn: undefined }
  try {
    if (!begun) throw new SignInFailed('elsewhere')
    return { signedIn: await redeem(here, begun) }
  } catch (trouble) {
    return { signedIn: undefined, trouble }
  }
}

function takeBegun(): (BegunSignIn & { address: string }) | undefined {
  const stored = sessionStorage.getItem(STORAGE_KEY)
  sessionStorage.removeItem(STORAGE_KEY)
  if (stored === null) return undefined
  const { verifier, state, nonce, address } = JSON.parse(stored)
  return { verifier, state, nonce, address: isOurs(address) ? address : HOME_PATH }
}

/** Whether an address is one of this page: never an answer of the provider, nor elsewhere. */
function isOurs(address: unknown): address is string {
  if (typeof address !== 'string') return false
  const url = URL.parse(address, location.origin)
  if (url?.origin !== location.origin || url.pathname === `${HOME_PATH}/callback`) return false
  return url.pathname === HOME_PATH || url.pathname.startsWith(`${HOME_PATH}/`)
}

/**
 * Asks the provider without showing anything. The one request with cookies: they are those of the
 * provider, at the same origin. The code is only in the address that the request ends at.
 *
 * @returns `undefined` where the provider wants to see the person
 * @throws {Unreachable | SignInFailed}
 */
export async function signInSilently(): Promise<SignInTokens | undefined> {
  const [begun, url] = await begin('none')
  const response = await fetch(url, {
    cache: 'no-store',
    credentials: 'same-origin',
    mode: 'same-origin',
    referrerPolicy: 'no-referrer',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((cause) => {
    throw new Unreachable(cause)
  })
  if (response.status >= 500) throw new Unreachable(response.status)
  // No provider answers so at its authorization endpoint.
  if (response.status === 404) throw new SignInFailed('nowhere')
  const answer = new URL(response.url)
  if (answer.origin + answer.pathname !== REDIRECT_URI) throw new SignInFailed('refused')
  return redeem(answer, begun)
}

/** @returns `undefined` where the provider wants to see the person */
async function redeem(answer: URL, begun: BegunSignIn): Promise<SignInTokens | undefined> {
  let parameters: URLSearchParams
  try {
    parameters = oauth.validateAuthResponse(OIDC_PROVIDER, OIDC_CLIENT, answer, begun.state)
  } catch (error) {
    if (!(error instanceof oauth.AuthorizationResponseError)) {
      throw new SignInFailed('elsewhere', error)
    }
    if (NEEDS_PERSON.includes(error.error)) return undefined
    throw new SignInFailed(error.error === 'access_denied' ? 'cancelled' : 'refused', error)
  }
  try {
    const response = await oauth.authorizationCodeGrantRequest(
      OIDC_PROVIDER,
      OIDC_CLIENT,
      oauth.None(),
      parameters,
      REDIRECT_URI,
      begun.verifier,
      {
        [oauth.allowInsecureRequests]: location.protocol === 'http:',
        [oauth.customFetch]: (to, init) =>
          fetch(to, { ...init, credentials: 'omit', referrerPolicy: 'no-referrer' }),
        signal: () => AbortSignal.timeout(TIMEOUT_MS),
      },
    )
    const client = { ...OIDC_CLIENT, [oauth.clockSkew]: skewOf(response) }
    const tokens = await oauth.processAuthorizationCodeResponse(OIDC_PROVIDER, client, response, {
      expectedNonce: begun.nonce,
      requireIdToken: true,
    })
    const lifetime = (tokens.expires_in ?? 0) * 1000
    const passed = startStopwatch()
    return {
      accessToken: tokens.access_token,
      idToken: tokens.id_token ?? '',
      sub: oauth.getValidatedIdTokenClaims(tokens)?.sub ?? '',
      lifetime,
      left: () => lifetime - passed(),
    }
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError) throw new SignInFailed('late', error)
    if (error instanceof oauth.OperationProcessingError) throw new SignInFailed('refused', error)
    throw new Unreachable(error)
  }
}

/**
 * The seconds by which the clock of this machine is behind the clock of the server. A wrong clock
 * would take a new ID token for one that has expired.
 */
function skewOf(response: Response): number {
  const skew = Date.parse(response.headers.get('date') ?? '') - Date.now()
  return Number.isNaN(skew) ? 0 : Math.round(skew / 1000)
}

/**
 * Signs out at the provider, and comes back to the first page. The address has the ID token, by which
 * the provider knows that the request is of its own session: it opens nothing, and the access token
 * is in no address.
 *
 * @see https://openid.net/specs/openid-connect-rpinitiated-1_0.html#RPLogout
 */
export function leaveToSignOut(idToken: string | undefined): void {
  const url = new URL(OIDC_PROVIDER.end_session_endpoint)
  url.search = new URLSearchParams({
    client_id: CLIENT_ID,
    post_logout_redirect_uri: location.origin + HOME_PATH,
    ...(idToken === undefined ? {} : { id_token_hint: idToken }),
  }).toString()
  location.assign(url)
}
