const LOCK_NAME = 'oidc-provider-impersonation'

/** How long a tab that acts may take to learn that its impersonation has ended, in milliseconds. */
const LOCK_WAIT_MS = 5000

/**
 * Waits until no other tab of this origin acts. Tabs of one origin share its storage: the data of
 * one customer would appear to another. The browser releases the lock with the page, also where
 * the page crashes.
 *
 * The tab that acts is poked: it asks the provider whether its impersonation has ended, and only then
 * gives way. A link that is opened here, whoever made it, ends nothing.
 *
 * @returns what releases the lock, or `undefined` while another tab holds it
 */
export async function holdOnlyTab(): Promise<(() => void) | undefined> {
  const signal = AbortSignal.timeout(LOCK_WAIT_MS)
  const channel = new BroadcastChannel(LOCK_NAME)
  channel.postMessage(0)
  return new Promise<(() => void) | undefined>((resolve, reject) => {
    const hold = () => new Promise<void>((release) => resolve(() => release()))
    navigator.locks.request(LOCK_NAME, { signal }, hold).catch((error: unknown) => {
      if (signal.aborted) resolve(undefined)
      else reject(error)
    })
  }).finally(() => channel.close())
}

/**
 * Calls this when another tab wants to act. What the message says is not read.
 */
export function whenPoked(poked: () => void, signal: AbortSignal): void {
  const channel = new BroadcastChannel(LOCK_NAME)
  channel.onmessage = poked
  signal.addEventListener('abort', () => channel.close())
}
