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
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), PATIENCE)
  return new Promise((resolve, reject) => {
    const hold = () => {
      clearTimeout(timer)
      return new Promise<void>((release) => resolve(() => release()))
    }
    navigator.locks.request(LOCK, { signal: patience.signal }, hold).catch((error: unknown) => {
      if (patience.signal.aborted) resolve(undefined)
      else reject(error)
    })
  })
}
