import { isIPv4, isIPv6 } from 'node:net'
import type { Context } from 'koa'
import { type Client, errors } from 'oidc-provider'

/** What is used of rate-limiter-flexible: every limiter of it fits, in memory or in Redis. */
export interface RateLimiter {
  /**
   * Takes points for a key. Resolves while there are some; rejects with an object that has
   * `msBeforeNext` when there are none, and with an Error when the limiter itself is in trouble.
   */
  consume(key: string, points?: number): Promise<unknown>
}

/** Too many requests: 429 with `Retry-After`. RFC 6585 §4. */
export class TooManyRequests extends errors.OIDCProviderError {
  override error_description = 'too many requests: try again later'

  constructor() {
    super(429, 'temporarily_unavailable')
  }
}

/**
 * Takes `points` for a key; with 0, only looks whether any are left.
 *
 * @throws {@link TooManyRequests}, having set `Retry-After`
 * @throws whatever the limiter throws where it is in trouble itself: a 500, not a free pass
 */
export async function limit(
  limiter: RateLimiter | undefined,
  ctx: Pick<Context, 'set'>,
  key: string,
  points: 0 | 1,
): Promise<void> {
  if (!limiter) return
  try {
    await limiter.consume(key, points)
  } catch (rejection) {
    if (rejection instanceof Error || !isExhausted(rejection)) throw rejection
    ctx.set('Retry-After', String(Math.max(1, Math.ceil(rejection.msBeforeNext / 1000))))
    throw new TooManyRequests()
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

/** A client that proved who it is, or the id that anybody may use together with where from. */
export function failureKey(client: Client, address: string): string {
  if (client.clientAuthMethod !== 'none') return client.clientId
  return `${client.clientId}|${normalisedAddress(address)}`
}

/**
 * One name for what one caller can vary freely: IPv4 as it is, however written; of IPv6 the /64
 * network, in which every host has as many addresses as it likes.
 */
export function normalisedAddress(address: string): string {
  // Some proxies write the port along.
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
