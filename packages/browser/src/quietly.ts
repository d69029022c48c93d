/** What the browser may refuse, and other code may fail at: `undefined` instead of an error. */
export function quietly<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}

/** `URL.parse`, which browsers have only since 2024. */
export function parseUrl(address: string | URL): URL | undefined {
  return quietly(() => new URL(address))
}

/** What an impersonation that ended in this tab has left for the next one. */
export const LEFT_KEY = 'oidc-provider-impersonation.left'
