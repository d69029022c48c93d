const LOCK = 'oidc-provider-impersonation'

/** How long a page that is just closing may take to give way, in milliseconds. */
const PATIENCE = 1000

/**
 * Waits until no other tab of this origin acts. Tabs of one origin share its storage: the data of
 * one customer would appear to another. The browser releases the lock with the page, also where
 * the page crashes.
 *
 * @returns what releases the lock, or `undefined` while another tab holds it
 */
export async function holdOnlyTab(): Promise<(() => void) | undefined> {
  // Absent only in browsers from before 2022.
  if (!('locks' in navigator)) return () => {}
  const held = Promise.withResolvers<() => void>()
  const over = Promise.withResolvers<void>()
  navigator.locks
    .request(LOCK, { signal: AbortSignal.timeout(PATIENCE) }, () => {
      held.resolve(() => over.resolve())
      return over.promise
    })
    .catch(held.reject)
  return held.promise.catch((error: unknown) => {
    if (error instanceof DOMException && error.name === 'TimeoutError') return undefined
    throw error
  })
}
