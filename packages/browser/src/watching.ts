import { decodeBase64Url, parseClaims } from './claims.ts'
import { parseUrl } from './quietly.ts'
import { isTokenRefused } from './refused-token.ts'
import type { SessionEnd } from './texts.ts'
import { type Credential, FETCH_OPTIONS, sendWithToken } from './token-request.ts'

const LOOK_MS = 5000
const TIMEOUT_MS = 2000

/** The session to watch. */
interface Watched {
  readonly credential: Credential
  /** Absent if the provider has none. Then nothing is watched. */
  readonly currentEndpoint: URL | undefined
  /** Absent if the token has no status. Then the provider is asked. */
  readonly status: StatusReference | undefined
  readonly fetch: typeof globalThis.fetch
  /** Stops it. */
  readonly signal: AbortSignal
  /** Called if a person reviews it afterwards. */
  readonly toBeReviewed: () => void
  /** Called when the impersonation has ended, with the end that the provider reports. */
  readonly ended: (ending: SessionEnd | undefined) => void
}

/**
 * Polls for an end elsewhere while the page is visible. It reads the status list, which costs the
 * provider a few hundred bytes from a cache, and asks the provider itself if the bit is set. An
 * outage is no end.
 *
 * @returns a function that asks the provider now, and resolves with or without its response
 */
export function watchForEnd(watched: Watched): () => Promise<void> {
  const { status, fetch, signal } = watched
  let asking: Promise<void> | undefined
  let isLooking = false

  function ask(): Promise<void> {
    asking ??= askProvider(watched)
      .catch(() => {})
      .finally(() => {
        asking = undefined
      })
    return asking
  }

  async function look(): Promise<void> {
    if (isLooking || document.visibilityState !== 'visible') return
    isLooking = true
    // The provider decides if a list cannot be fetched or read.
    if (!status || (await isBitSet(status, fetch).catch(() => true))) await ask()
    isLooking = false
  }

  function shown(): void {
    if (document.visibilityState === 'visible') void ask()
  }

  const timer = setInterval(look, LOOK_MS)
  signal.addEventListener('abort', () => clearInterval(timer))
  for (const event of ['focus', 'online', 'pageshow']) addEventListener(event, shown, { signal })
  document.addEventListener('visibilitychange', shown, { signal })
  return ask
}

async function askProvider(watched: Watched): Promise<void> {
  const { credential, currentEndpoint, fetch, ended, toBeReviewed } = watched
  if (!currentEndpoint) return
  const request = new Request(currentEndpoint, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  const response = await sendWithToken(request, credential, fetch)
  if (isTokenRefused(response, false)) ended(undefined)
  if (!response.ok) return
  const { state, end, review } = await response.json()
  if (review) toBeReviewed()
  if (state === 'ended') ended(Object.freeze(end))
}

/** The place of a token's status: draft-ietf-oauth-status-list-21, section 6.2. */
export interface StatusReference {
  readonly uri: string
  readonly idx: number
}

/** The claims of a token, and of a list. */
interface StatusClaims {
  readonly status?: { readonly status_list?: { readonly uri?: unknown; readonly idx?: unknown } }
  readonly status_list?: { readonly bits?: unknown; readonly lst?: unknown }
}

/** Reads the claim `status` of a token; `undefined` if it has none that can be read here. */
export function statusReference(
  { status }: StatusClaims,
  issuer: URL,
): StatusReference | undefined {
  const { uri, idx } = status?.status_list ?? {}
  if (typeof uri !== 'string' || typeof idx !== 'number') return undefined
  // As the guard of APIs: a list is under the issuer.
  return parseUrl(uri)?.href.startsWith(issuer.href) ? { uri, idx } : undefined
}

/**
 * Checks whether the bit of a token is set, so that the provider has to be asked. It sends only
 * the address of the list. The signature is not verified, because a bit makes the page ask the
 * provider, and nothing else.
 *
 * @throws if the list cannot be fetched or read
 */
export async function isBitSet(
  { uri, idx }: StatusReference,
  fetch: typeof globalThis.fetch,
): Promise<boolean> {
  const response = await fetch(uri, {
    ...FETCH_OPTIONS,
    headers: { accept: 'application/statuslist+jwt' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const { status_list: list }: StatusClaims = parseClaims(await response.text())
  const bits = Number(list?.bits)
  // Firefox before 113 and Safari before 16.4 lack this. Then the caller asks the provider.
  const inflated = new Blob([decodeBase64Url(String(list?.lst))])
    .stream()
    .pipeThrough(new DecompressionStream('deflate'))
  const bytes = new Uint8Array(await new Response(inflated).arrayBuffer())
  const byte = bytes[Math.floor((idx * bits) / 8)]
  // The provider also decides if a list is too short.
  return byte === undefined || ((byte >> ((idx * bits) % 8)) & (2 ** bits - 1)) !== 0
}
