import { isIPv4, isIPv6 } from 'node:net'
import type { Client } from 'oidc-provider'
import type { RateLimiter } from '../public/options.ts'
import { BoundedMap } from '../shared/bounded-map.ts'
import { TooManyRequests } from '../shared/errors.ts'

/** How many keys a limiter of this process remembers. */
const MAX_KEYS = 10_000

/**
 * Takes `points` for a key; with 0, only looks whether any are left.
 *
 * @throws {@link TooManyRequests}
 * @throws the limiter's own error if it fails: the request gets a 500 and is not let through
 */
export async function limit(
  limiter: RateLimiter | undefined,
  key: string,
  points: 0 | 1,
): Promise<void> {
  if (!limiter) return
  try {
    await limiter.consume(key, points)
  } catch (rejection) {
    if (rejection instanceof Error || !isExhausted(rejection)) throw rejection
    throw new TooManyRequests(Math.max(1, Math.ceil(rejection.msBeforeNext / 1000)))
  }
}

function isExhausted(rejection: unknown): rejection is { msBeforeNext: number } {
  return (
    typeof rejection === 'object' &&
    rejection !== null &&
    'msBeforeNext' in rejection &&
    typeof rejection.msBeforeNext === 'number'
  )
}

/** A limiter for what protects this process and decides nothing: it counts in this process alone. */
export function limiterInProcess(most: {
  readonly requests: number
  readonly seconds: number
}): RateLimiter {
  const windows = new BoundedMap<string, { readonly endsAt: number; left: number }>(MAX_KEYS)
  return {
    async consume(key) {
      const now = performance.now()
      const known = windows.get(key)
      const window =
        known && known.endsAt > now
          ? known
          : { endsAt: now + most.seconds * 1000, left: most.requests }
      if (window !== known) windows.set(key, window)
      if (window.left === 0) return Promise.reject({ msBeforeNext: window.endsAt - now })
      window.left -= 1
    },
  }
}

/** Key of a client: its id where it authenticates, else its id and the caller's address. */
export function failureKey(client: Client, address: string): string {
  if (client.clientAuthMethod !== 'none') return client.clientId
  return `${client.clientId}|${ipKey(address)}`
}

/**
 * One name for all addresses that one caller can use: the IPv4 address in its normal form, or the
 * /64 network of an IPv6 address, because a host can use any address of its /64 network.
 */
export function ipKey(address: string): string {
  // Some proxies add the port.
  const host = /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, '$1')
  const plain = host.toLowerCase().replace(/%.*$/, '')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1] ?? plain
  if (isIPv4(mapped)) return mapped
  if (!isIPv6(mapped)) return 'unknown'
  // The URL parser writes every IPv6 address in one way (RFC 5952), IPv4-mapped ones in hex.
  const canonical = new URL(`http://[${mapped}]`).hostname.slice(1, -1)
  const [head = [], tail = []] = canonical
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''))
  const groups = [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail]
  if (groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff') {
    const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16))
    return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  }
  return `${groups.slice(0, 4).join(':')}::/64`
}
