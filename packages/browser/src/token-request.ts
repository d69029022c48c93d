import * as oauth from 'oauth4webapi'
import { quietly } from './quietly.ts'
import { startStopwatch } from './session.ts'

/** From one module: each import of a namespace has a name of its own in the bundle. */
export { oauth }

/** An access token, with the key that it is bound to. */
export interface Credential {
  readonly token: string
  readonly key: ProofKey | undefined
}

/**
 * What every request with the token has, whatever its caller says: no cookies, which would be the
 * operator's own; nothing of the customer's in the cache; no other address than the one that was
 * checked.
 */
export const FETCH_OPTIONS = {
  cache: 'no-store',
  credentials: 'omit',
  mode: 'cors',
  redirect: 'error',
  referrerPolicy: 'no-referrer',
} satisfies RequestInit

/** Sends a request with the token, and with a proof where it is bound. */
export async function sendWithToken(
  request: Request,
  credential: Credential,
  fetch: typeof globalThis.fetch,
): Promise<Response> {
  const again = credential.key ? request.clone() : undefined
  const response = await sendOnce(request, credential, fetch)
  return again && asksForNonce(response) ? sendOnce(again, credential, fetch) : response
}

async function sendOnce(
  request: Request,
  credential: Credential,
  fetch: typeof globalThis.fetch,
): Promise<Response> {
  return signed(request.method, new URL(request.url), credential, (proven) => {
    const headers = new Headers(request.headers)
    for (const [name, value] of Object.entries(proven)) headers.set(name, value)
    return fetch(new Request(request, { ...FETCH_OPTIONS, headers }))
  })
}

/** The headers of a request that is sent later: once, and within a few minutes. */
export async function headersFor(
  method: string,
  url: URL,
  credential: Credential,
): Promise<Readonly<Record<string, string>>> {
  let headers: Record<string, string> = {}
  await signed(method, url, credential, async (proven) => {
    headers = proven
    return new Response()
  })
  return headers
}

async function signed(
  method: string,
  url: URL,
  { token, key }: Credential,
  send: (headers: Record<string, string>) => Promise<Response>,
): Promise<Response> {
  try {
    return await oauth.protectedResourceRequest(token, method, url, new Headers(), null, {
      ...(key && { DPoP: key.handle }),
      [oauth.allowInsecureRequests]: url.protocol === 'http:',
      [oauth.customFetch]: (_url, { headers }) => send(headers),
    })
  } catch (error) {
    // The server answered, and the response says more than this error.
    if (error instanceof oauth.WWWAuthenticateChallengeError) return error.response
    throw error
  }
}

/**
 * RFC 6750 §3.1: an API that wants more than this token, as in RFC 9470, says another error.
 *
 * @param hidden the answer where there is no challenge that can be read
 */
export function isTokenRefused({ status, headers }: Response, hidden: boolean): boolean {
  const challenge = headers.get('www-authenticate')
  return status === 401 && (challenge ? /\berror="?invalid_token\b/.test(challenge) : hidden)
}

/** RFC 9449 §9. The challenge itself can be read only where the API exposes it. */
function asksForNonce({ status, headers }: Response): boolean {
  if (status !== 401 || !headers.has('dpop-nonce')) return false
  return headers.get('www-authenticate')?.includes('use_dpop_nonce') !== false
}

/** A key that tokens are bound to: RFC 9449. The page can sign with it, and cannot read it. */
export interface ProofKey {
  /** For requests to the token endpoint. */
  readonly handle: oauth.DPoPHandle
  /**
   * Uses the clock of the provider from now on: a proof with a wrong time is refused.
   *
   * @param time in seconds since the epoch
   */
  setClock(time: number): void
}

export async function generateProofKey(): Promise<ProofKey> {
  let now = () => Date.now() / 1000
  const keyPair = await oauth.generateKeyPair('ES256', { extractable: false })
  return {
    handle: oauth.DPoP({}, keyPair, {
      [oauth.modifyAssertion]: (_header, payload) => {
        payload.iat = Math.floor(now())
      },
    }),
    setClock(time) {
      const passed = startStopwatch()
      now = () => time + passed() / 1000
    },
  }
}

/**
 * The payload of a JWT, not verified.
 *
 * @returns `{}` where the token is opaque
 */
export function parseClaims(token: string): Readonly<Record<string, unknown>> {
  const [, payload = '', ...more] = token.split('.')
  const claims: unknown =
    more.length === 1 &&
    quietly(() => JSON.parse(new TextDecoder().decode(decodeBase64Url(payload))))
  return Object.freeze(claims instanceof Object && !Array.isArray(claims) ? { ...claims } : {})
}

export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (character) => character.charCodeAt(0))
}
