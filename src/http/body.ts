import type { IncomingMessage } from 'node:http'
import { MIMEType } from 'node:util'
import type { Context } from 'koa'
import { errors } from 'oidc-provider'
import { instance } from '../host/weak-cache.ts'
import type { Step } from './answers.ts'

/** Reads the JSON body of a request to the management API: `ctx.oidc.body`. */
export function body({ isOptional = false } = {}): Step {
  return async (ctx, next) => {
    const { bodyBytes } = instance(ctx.oidc.provider).options.limits
    const isAbsent = isOptional && !hasBody(ctx)
    Object.assign(ctx.oidc, { body: isAbsent ? {} : await readJsonBody(ctx, bodyBytes) })
    await next()
  }
}

/** Checks whether the request has a body, for routes with an optional body. */
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
 * Reads a JSON request body, and nothing else: no form, no multipart, no file touches the disk.
 *
 * @param maxBytes - the largest body, in bytes
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
  if (!ctx.req.readable) return Reflect.get(ctx.req, 'body') ?? Reflect.get(ctx.request, 'body')
  try {
    const bytes = await readBytes(ctx.req, maxBytes)
    if (bytes) return parseJson(bytes)
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

/** @returns `undefined` for a body that is longer. Its rest is dropped. */
async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  // Not destroyed: the response needs its connection, and the client may still send.
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    length += chunk.length
    if (length > maxBytes) break
    chunks.push(chunk)
  }
  request.resume()
  return length > maxBytes ? undefined : Buffer.concat(chunks)
}

/**
 * RFC 8259 §8.1: "JSON text exchanged between systems that are not part of a closed ecosystem MUST
 * be encoded using UTF-8." An empty body is an empty object.
 *
 * @throws Error for bytes that are not UTF-8, and for JSON that is neither object nor array, or has
 * a member `__proto__`
 */
function parseJson(bytes: Buffer): object {
  const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  const json: unknown = JSON.parse(text || '{}', (name, value) => {
    // Code of the deployment may copy it, and change a prototype.
    if (name === '__proto__') throw new TypeError('a member is __proto__')
    return value
  })
  if (typeof json === 'object' && json !== null) return json
  throw new TypeError('neither an object nor an array')
}
