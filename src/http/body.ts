import { on } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { MIMEType } from 'node:util'
import type { Context } from 'koa'
import { errors } from 'oidc-provider'

/** Whether the request has a body, where that is optional. */
export function hasBody(ctx: Context): boolean {
  return (
    ctx.get('Content-Type') !== '' ||
    Number(ctx.request.length ?? 0) > 0 ||
    ctx.get('Transfer-Encoding') !== ''
  )
}

/** The error of a body that is not read. */
type RefuseBody = (status: 400 | 413 | 415, description: string, cause?: unknown) => Error

const invalidRequest: RefuseBody = (status, description, cause) =>
  new errors.InvalidRequest(description, status, { cause })

/**
 * Reads a JSON request body, and nothing else.
 *
 * @param maxBytes the largest body, in bytes
 */
export async function readJsonBody(
  ctx: Context,
  maxBytes: number,
  refuse = invalidRequest,
): Promise<unknown> {
  if (!isJson(ctx.get('Content-Type'))) {
    throw refuse(415, 'Content-Type must be application/json, in UTF-8')
  }
  // A small body needs no compression, and a compressed one can expand to a very large one.
  if (!/^(?:identity)?$/i.test(ctx.get('Content-Encoding').trim())) {
    throw refuse(415, 'Content-Encoding is not supported')
  }
  // Some frameworks read the body before any middleware runs. Their limits apply then.
  if (!ctx.req.readable) {
    return Reflect.get(ctx.req, 'body') ?? Reflect.get(ctx.request, 'body')
  }
  try {
    const bytes = await readBytes(ctx.req, maxBytes)
    // RFC 8259 §8.1: "JSON text exchanged between systems that are not part of a closed ecosystem MUST be
    // encoded using UTF-8."
    if (bytes) return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw refuse(400, 'the body is not a valid JSON object', cause)
  }
  throw refuse(413, `the body must not exceed ${maxBytes} bytes`)
}

function isJson(contentType: string): boolean {
  try {
    const { essence, params } = new MIMEType(contentType)
    return essence === 'application/json' && /^utf-?8$/i.test(params.get('charset') ?? 'utf-8')
  } catch {
    return false
  }
}

/** @returns `undefined` for a body that is too large */
async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  // Not by the stream's own iterator: a request that it leaves may get no answer.
  for await (const [chunk] of on(request, 'data', { close: ['end', 'close'] })) {
    length += chunk.length
    if (length > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** An empty text is an empty object. */
function parseJson(text: string): unknown {
  if (text === '') return {}
  const value: unknown = JSON.parse(text, (key, member: unknown) => {
    // Copies of the object would have another prototype.
    if (key === '__proto__') throw new SyntaxError('__proto__ is not allowed')
    return member
  })
  if (typeof value !== 'object' || value === null) throw new SyntaxError('no object')
  return value
}
