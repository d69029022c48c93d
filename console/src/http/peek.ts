import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'

/** The largest form that is read, in bytes. */
const MAX_BYTES = 65_536

/**
 * Reads the form of a request. The body can still be read afterwards. Returns `undefined` if the
 * body is not a form or does not come in one piece.
 *
 * @param charset the charset of the `Content-Type`. oidc-provider uses it to decode a form, so
 *   a form in UTF-16 must be readable here too
 */
export async function peekForm(
  request: IncomingMessage,
  charset: string,
): Promise<URLSearchParams | undefined> {
  const length = Number(request.headers['content-length'])
  if (!request.readable || !(length > 0 && length <= MAX_BYTES)) return undefined
  try {
    const waiting: unknown = request.read()
    if (!Buffer.isBuffer(waiting)) await once(request, 'readable')
    const piece: unknown = waiting ?? request.read()
    if (!Buffer.isBuffer(piece)) return undefined
    request.unshift(piece)
    if (piece.length !== length) return undefined
    return new URLSearchParams(new TextDecoder(charset || 'utf-8').decode(piece))
  } catch {
    // The connection broke, or the charset is unknown. The next reader of the body gets the error.
    return undefined
  }
}
