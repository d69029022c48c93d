/** The page of a customer, below the path of the console. */
export const customerPath = (id: string) => `/customers/${encodeURIComponent(id)}`

/** The form to act as a customer. */
export const actPath = (id: string) => `/act?${new URLSearchParams({ user: id })}`

/** The id in the path of a customer's page; `undefined` where it cannot be read. */
export function customerIn(path: string): string | undefined {
  const [, id] = /^\/customers\/([^/]+)$/.exec(path) ?? []
  try {
    return id === undefined ? undefined : decodeURIComponent(id)
  } catch {
    // A lone percent sign is no escape.
    return undefined
  }
}
