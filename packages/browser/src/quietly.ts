/**
 * Calls code that the browser may refuse, or that may fail, and returns `undefined` instead of an
 * error.
 */
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

/** The key of the data that an ended impersonation left in this tab for the next one. */
export const LEFT_KEY = 'oidc-provider-impersonation.left'
