import { MIMEType } from 'node:util'
import type { Context, Middleware } from 'koa'
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
    Number(ctx.request.length) > 0 ||
    ctx.get('Transfer-Encoding') !== ''
  )
}

/** The error of a body that is not read. */
type RefuseBody = (status: 400 | 413 | 415, description: string, cause?: unknown) => Error

const invalidRequest: RefuseBody = (status, description, cause) =>
  new errors.InvalidRequest(description, status, { cause })

/** Parsers by their largest body, in bytes. */
const parsers = new Map<number, Promise<Middleware>>()

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
  const parser = parsers.get(maxBytes) ?? jsonParser(maxBytes)
  parsers.set(maxBytes, parser)
  const parse = await parser
  try {
    await parse(ctx, async () => {})
    return decode(ctx.request)
  } catch (cause) {
    const status = cause instanceof Error && 'status' in cause ? cause.status : 400
    if (status === 400) throw refuse(400, 'the body is not a valid JSON object', cause)
    // The response needs the connection, and the client may still send.
    ctx.req.resume()
    if (status === 413) throw refuse(413, `the body must not exceed ${maxBytes} bytes`, cause)
    throw cause
  }
}

function isJson(contentType: string): boolean {
  try {
    const { essence, params } = new MIMEType(contentType)
    return essence === 'application/json' && /^utf-?8$/i.test(params.get('charset') ?? 'utf-8')
  } catch {
    return false
  }
}

async function jsonParser(maxBytes: number): Promise<Middleware> {
  // Loaded on first use. koa-body brings a multipart parser and a schema library along, which
  // would cost every start of the provider more than everything else in this package together.
  const { koaBody } = await import('koa-body')
  return koaBody({
    json: true,
    jsonLimit: maxBytes,
    jsonStrict: true,
    // One character for each byte, because koa-body itself would replace bytes that are not UTF-8.
    encoding: 'binary',
    includeUnparsed: true,
    multipart: false,
    text: false,
    urlencoded: false,
  })
}

/**
 * Decodes a body that was read a byte at a time. RFC 8259 §8.1: "JSON text exchanged between
 * systems that are not part of a closed ecosystem MUST be encoded using UTF-8."
 *
 * @throws TypeError for bytes that are not UTF-8
 */
function decode({ body, rawBody }: Context['request']): unknown {
  const bytes = Buffer.from(String(rawBody), 'latin1')
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  return text === rawBody ? body : JSON.parse(text)
}
