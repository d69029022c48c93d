import { type Credential, FETCH_OPTIONS, headersFor } from './token-request.ts'

/** How often the proof is renewed, in milliseconds. Providers take one for some minutes. */
const RENEW_MS = 120_000

/**
 * Ends the impersonation when the page is left, except where the browser keeps the page to come
 * back to. The proof is made in advance: a page that closes has no time to sign.
 *
 * @param left is called when the page is left so
 * @param signal stops it
 */
export function endOnLeave(
  credential: Credential,
  endEndpoint: URL | undefined,
  fetch: typeof globalThis.fetch,
  left: () => void,
  signal: AbortSignal,
): void {
  if (!endEndpoint) return
  let headers: Readonly<Record<string, string>> | undefined
  const renew = () => {
    headersFor('POST', endEndpoint, credential).then(
      (made) => {
        headers = made
      },
      () => {},
    )
  }
  renew()
  const timer = credential.key ? setInterval(renew, RENEW_MS) : undefined

  const leave = ({ persisted }: PageTransitionEvent) => {
    if (persisted || !headers) return
    fetch(endEndpoint, {
      ...FETCH_OPTIONS,
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"reason":"left"}',
      keepalive: true,
    }).catch(() => {})
    headers = undefined
    left()
  }
  addEventListener('pagehide', leave, { signal })
  signal.addEventListener('abort', () => clearInterval(timer))
}
