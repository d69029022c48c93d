/** Something that the person who starts the example can put right. The message says how. */
export class StartError extends Error {
  override name = 'StartError'
}

/** What went wrong, in one line: the message of an error, and those of its causes. */
export function reasonOf(error: unknown): string {
  const parts: string[] = []
  for (let next = error; next instanceof Error && parts.length < 4; next = next.cause) {
    // A connection that fails on every address of a name has a code and no message.
    const code = 'code' in next && typeof next.code === 'string' ? next.code : ''
    const message = next.message || code || next.name
    if (!parts.some((part) => part.includes(message))) parts.push(message)
  }
  return parts.length > 0 ? parts.join(': ') : String(error)
}
