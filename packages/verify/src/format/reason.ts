/**
 * The reason in one line: the message of an error and the messages of its causes. Never throws, whatever
 * was thrown.
 */
export function reasonOf(error: unknown): string {
  try {
    return messagesOf(error)
  } catch {
    return 'an error that cannot be told in words'
  }
}

function messagesOf(error: unknown): string {
  const parts: string[] = []
  for (let next = error; next instanceof Error && parts.length < 4; next = next.cause) {
    // An error of a connection to several addresses has a code and no message.
    const code = 'code' in next && typeof next.code === 'string' ? next.code : ''
    const message = next.message || code || next.name
    if (!parts.some((part) => part.includes(message))) parts.push(message)
  }
  return parts.length > 0 ? parts.join(': ') : String(error)
}
