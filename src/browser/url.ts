const LOOPBACK = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** `URL.parse`, which browsers have only since 2024. */
export function parseUrl(address: string | URL): URL | undefined {
  try {
    return new URL(address)
  } catch {
    return undefined
  }
}

/** Whether a token may be sent there: not in the clear, except on this machine. */
export function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
}
