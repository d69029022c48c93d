import type { ImpersonationEnding } from './ending.ts'
import { isBitSet, type StatusReference } from './status-bit.ts'
import { type Credential, isTokenRefused, sendWithToken } from './token-request.ts'

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
  /** The impersonation has ended; how, where the provider tells. */
  readonly ended: (ending: ImpersonationEnding | undefined) => void
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

async function askProvider({ credential, currentEndpoint, fetch, ended }: Watched): Promise<void> {
  if (!currentEndpoint) return
  const request = new Request(currentEndpoint, { signal: AbortSignal.timeout(TIMEOUT_MS) })
  const response = await sendWithToken(request, credential, fetch)
  if (isTokenRefused(response, false)) ended(undefined)
  if (!response.ok) return
  const { state, end } = await response.json()
  if (state === 'ended') ended(Object.freeze(end))
}
