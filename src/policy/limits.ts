import { BoundedMap } from '../shared/bounded-map.ts'
import { TooManyRequests } from '../shared/errors.ts'

/** The number of keys that a limiter remembers. */
const MAX_KEYS = 10_000

/**
 * Limits the requests of each key, in this process alone. It protects the process, and decides
 * nothing.
 *
 * @returns a function that counts one request of a key, and throws {@link TooManyRequests}
 */
export function limiterInProcess(most: {
  readonly requests: number
  readonly seconds: number
}): (key: string) => void {
  const windows = new BoundedMap<string, { readonly endsAt: number; left: number }>(MAX_KEYS)
  return (key) => {
    const now = performance.now()
    const known = windows.get(key)
    const window =
      known && known.endsAt > now
        ? known
        : { endsAt: now + most.seconds * 1000, left: most.requests }
    if (window !== known) windows.set(key, window)
    if (window.left === 0) throw new TooManyRequests((window.endsAt - now) / 1000)
    window.left -= 1
  }
}
