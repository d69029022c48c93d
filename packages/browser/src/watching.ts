import { decodeBase64Url, parseClaims } from './claims.ts'
import { parseUrl } from './quietly.ts'
import { isTokenRefused } from './refused-token.ts'
import type { SessionEnd } from './texts.ts'
import { type Credential, FETCH_OPTIONS, sendWithToken } from './token-request.ts'

const LOOK_MS = 5000
const TIMEOUT_MS = 2000

/** What is watched. */
interface Watched {
  readonly credential: Credential
  /** Absent where the provider has none: then nothing is watched. */
  readonly currentEndpoint: URL | undefined
  /** Absent where the token has no status: then the provider is asked. */
  readonly status: StatusReference | undefined
  readonly fetch: typeof globalThis.fetch
  /** Stops it. */
  readonly signal: AbortSignal
  /** A person looks at it afterwards. */
  readonly toBeReviewed: () => void
  /** The impersonation has ended; how, where the provider tells. */
  readonly ended: (ending: SessionEnd | undefined) => void
}

/**
 * Looks for an end that came elsewhere, while the page is visible: at the status list, which costs the
 * provider a few hundred bytes from a cache, and at the provider itself where the list says so. An
 * outage is no end.
 *
 * @returns what asks the provider now, and resolves when it has answered, or does not
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
    // A list that cannot be had or read says nothing: the provider does.
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

/** Where the status of a token stands: draft-ietf-oauth-status-list-21, section 6.2. */
export interface StatusReference {
  readonly uri: string
  readonly idx: number
}

/** What may stand in a token, and in a list. */
interface StatusClaims {
  readonly status?: { readonly status_list?: { readonly uri?: unknown; readonly idx?: unknown } }
  readonly status_list?: { readonly bits?: unknown; readonly lst?: unknown }
}

/** The claim `status` of a token; `undefined` where it has none that can be read here. */
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
 * Whether the provider has to be asked: the bit of a token is set. Nothing is sent but the address of the list. Its signature is not
 * verified: a bit makes the page ask the provider, and nothing else.
 *
 * @throws where the list cannot be had or read
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
  // Firefox before 113 and Safari before 16.4 lack this: the caller asks the provider.
  const inflated = new Blob([decodeBase64Url(String(list?.lst))])
    .stream()
    .pipeThrough(new DecompressionStream('deflate'))
  const bytes = new Uint8Array(await new Response(inflated).arrayBuffer())
  const byte = bytes[Math.floor((idx * bits) / 8)]
  // Of a list that is too short, the provider knows more, too.
  return byte === undefined || ((byte >> ((idx * bits) % 8)) & (2 ** bits - 1)) !== 0
}
