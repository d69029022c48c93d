import { oauth } from './oauth.ts'
import type { ProofKey } from './proof-key.ts'

/** An access token, with the key that it is bound to. */
export interface Credential {
  readonly token: string
  readonly key: ProofKey | undefined
}

/**
 * The options of every request with the token, whatever its caller sets. It sends no cookies,
 * which would be the operator's own, keeps no data of the customer in the cache, and goes to the
 * checked address only.
 */
export const FETCH_OPTIONS = {
  cache: 'no-store',
  credentials: 'omit',
  mode: 'cors',
  redirect: 'error',
  referrerPolicy: 'no-referrer',
} satisfies RequestInit

/** Sends a request with the token, and with a proof if it is bound. */
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

/** Makes the headers of a request that is sent later, once, and within a few minutes. */
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
    // The server responded, and the response is more precise than this error.
    if (error instanceof oauth.WWWAuthenticateChallengeError) return error.response
    throw error
  }
}

/**
 * Checks for a nonce, RFC 9449 §9. The challenge itself can be read only if the API exposes it.
 */
function asksForNonce({ status, headers }: Response): boolean {
  if (status !== 401 || !headers.has('dpop-nonce')) return false
  return headers.get('www-authenticate')?.includes('use_dpop_nonce') !== false
}
