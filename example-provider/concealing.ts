/** What may be printed of a storage. */
export interface Printable {
  /** Names it, without user name, password, path and query: each of them may be a secret. */
  readonly label: string
  /** Replaces those by `…` in a message of the driver or the server, which may quote them. */
  readonly conceal: (message: string) => string
}

/** A shorter text reveals nothing, and can be in a message by chance. */
const SHORTEST_SECRET = 4

/** Makes {@link Printable.conceal} for the URL of a storage. */
export function concealing({ username, password, pathname, search, searchParams }: URL) {
  const parts = [username, password, pathname.slice(1), search.slice(1), ...searchParams.values()]
  const secrets = [...parts, ...parts.map(decoded), ...pathname.split('/')]
    .filter((part) => part.length >= SHORTEST_SECRET)
    // A part that contains another one goes first.
    .sort((one, other) => other.length - one.length)
  return (message: string) => secrets.reduce((text, each) => text.replaceAll(each, '…'), message)
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
