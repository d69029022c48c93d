import { TooManyRequests } from '../shared/errors.ts'

/** How many keys are remembered. */
const MAX_KEYS = 10_000

/**
 * Counts requests by key, in this process alone: for what protects the process, and decides nothing.
 *
 * @returns what throws {@link TooManyRequests} for a key that had its requests in this window
 */
export function limitInProcess({
  requests,
  seconds,
}: {
  readonly requests: number
  readonly seconds: number
}): (key: string) => void {
  const windows = new Map<string, { readonly endsAt: number; left: number }>()

  return (key) => {
    const now = performance.now() / 1000
    let window = windows.get(key)
    if (!window || window.endsAt <= now) {
      windows.delete(key)
      for (const oldest of windows.keys()) {
        if (windows.size < MAX_KEYS) break
        windows.delete(oldest)
      }
      window = { endsAt: now + seconds, left: requests }
      windows.set(key, window)
    }
    if (window.left === 0) throw new TooManyRequests(Math.ceil(window.endsAt - now))
    window.left -= 1
  }
}
