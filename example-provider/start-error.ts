// Errors of the start, in words for the person who starts it.

/** A problem that the person who starts the example can fix. The message says how. */
export class StartError extends Error {
  override name = 'StartError'
}

/** Makes the function that says why something cannot be used. */
export function unusable(what: string): (cause: unknown) => never {
  return (cause) => {
    throw new StartError(`${what} cannot be used: ${describeReason(cause)}`, { cause })
  }
}

/** The reason in one line: the message of an error and the messages of its causes. */
export function describeReason(error: unknown): string {
  const parts: string[] = []
  for (let next = error; next instanceof Error && parts.length < 4; next = next.cause) {
    // An error of a connection to several addresses has a code and no message.
    const code = 'code' in next && typeof next.code === 'string' ? next.code : ''
    const message = next.message || code || next.name
    if (!parts.some((part) => part.includes(message))) parts.push(message)
  }
  return parts.length > 0 ? parts.join(': ') : String(error)
}
