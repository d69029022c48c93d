import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'

/** The largest form that is read, in bytes. */
const MAX_BYTES = 65_536

/**
 * Reads the form of a request, as UTF-8. The body can still be read afterwards. Returns `undefined`
 * if the body does not come in one piece, or says that it is in another charset: the next reader of
 * the body may decode it in one way or the other.
 *
 * @param charset the charset of the `Content-Type`; empty without one
 */
export async function peekForm(
  request: IncomingMessage,
  charset: string,
): Promise<URLSearchParams | undefined> {
  if (charset !== '' && charset.toLowerCase() !== 'utf-8') return undefined
  const length = Number(request.headers['content-length'])
  if (!request.readable || !(length > 0 && length <= MAX_BYTES)) return undefined
  try {
    const waiting: unknown = request.read()
    if (!Buffer.isBuffer(waiting)) await once(request, 'readable')
    const piece: unknown = waiting ?? request.read()
    if (!Buffer.isBuffer(piece)) return undefined
    request.unshift(piece)
    if (piece.length !== length) return undefined
    return new URLSearchParams(new TextDecoder().decode(piece))
  } catch {
    // The connection broke. The next reader of the body gets the error.
    return undefined
  }
}
