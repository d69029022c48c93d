import { isIPv4, isIPv6 } from 'node:net'
import type { Client } from 'oidc-provider'
import type { RateLimiter } from '../public/rate-limiter.ts'
import { TooManyRequests } from '../shared/errors.ts'

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

/** Key of a client: its id where it authenticates, else its id and the caller's address. */
export function failureKey(client: Client, address: string): string {
  if (client.clientAuthMethod !== 'none') return client.clientId
  return `${client.clientId}|${normalisedAddress(address)}`
}

/**
 * One name for all addresses that one caller can use: the IPv4 address in its normal form, or the
 * /64 network of an IPv6 address, because a host can use any address of its /64 network.
 */
export function normalisedAddress(address: string): string {
  // Some proxies add the port.
  const host = /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? address.replace(/^([\d.]+):\d+$/, '$1')
  const plain = host.toLowerCase().replace(/%.*$/, '')
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)?.[1] ?? plain
  if (isIPv4(mapped)) return mapped
  if (!isIPv6(mapped)) return 'unknown'
  // The URL parser writes every IPv6 address in one way (RFC 5952), IPv4-mapped ones in hex.
  const canonical = new URL(`http://[${mapped}]`).hostname.slice(1, -1)
  const [left = '', right] = canonical.split('::')
  const head = left === '' ? [] : left.split(':')
  const tail = right === undefined || right === '' ? [] : right.split(':')
  const groups =
    right === undefined
      ? head
      : [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail]
  if (groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff') {
    const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16))
    return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  }
  return `${groups.slice(0, 4).join(':')}::/64`
}

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
