/** What the browser may refuse, and other code may fail at: `undefined` instead of an error. */
export function quietly<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
