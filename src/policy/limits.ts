import { BoundedMap } from '../shared/bounded-map.ts'
import { TooManyRequests } from '../shared/errors.ts'

/** The number of keys that a limiter remembers. */
const MAX_KEYS = 10_000

/**
 * Limits the requests of each key in windows of `most.seconds`, in this process alone. It protects
 * the process, and decides nothing.
 *
 * @returns a function that counts one request of a key, and throws {@link TooManyRequests}
 */
export function limiterInProcess(most: {
  readonly requests: number
  readonly seconds: number
}): (key: string) => void {
  const counts = new BoundedMap<string, number>(MAX_KEYS)
  let endsAt = 0
  return (key) => {
    const now = performance.now()
    if (now >= endsAt) {
      counts.clear()
      endsAt = now + most.seconds * 1000
    }
    const count = counts.get(key) ?? 0
    if (count === most.requests) throw new TooManyRequests((endsAt - now) / 1000)
    counts.set(key, count + 1)
  }
}
