import type { Context, Middleware } from 'koa'
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

/** By the largest body that they take, in bytes. */
const parsers = new Map<number, Promise<Middleware>>()

/**
 * Reads a JSON request body, and nothing else: no form, no multipart, no file touches the disk.
 *
 * @param maxBytes the largest body, in bytes
 */
export async function readJsonBody(
  ctx: Context,
  maxBytes: number,
  refuse = invalidRequest,
): Promise<unknown> {
  if (ctx.request.type.trim().toLowerCase() !== 'application/json') {
    throw refuse(415, 'Content-Type must be application/json')
  }
  // A small body needs no compression, and a compressed one can expand to a very large one.
  if (!/^(?:identity)?$/i.test(ctx.get('Content-Encoding').trim())) {
    throw refuse(415, 'Content-Encoding is not supported')
  }
  // Some frameworks read the body before any middleware runs. Their limits apply then.
  if (!ctx.req.readable) return ctx.req.body ?? ctx.request.body
  const parser = parsers.get(maxBytes) ?? jsonParser(maxBytes)
  parsers.set(maxBytes, parser)
  const parse = await parser
  try {
    await parse(ctx, async () => {})
  } catch (cause) {
    const status = cause instanceof Error && 'status' in cause ? cause.status : undefined
    if (status === 400) throw refuse(400, 'the body is not a valid JSON object', cause)
    if (status === 413) throw refuse(413, `the body must not exceed ${maxBytes} bytes`, cause)
    if (status === 415) throw refuse(415, 'the charset is not supported', cause)
    throw cause
  }
  return ctx.request.body
}

async function jsonParser(maxBytes: number): Promise<Middleware> {
  // On first use: koa-body brings a multipart parser and a schema library along, which would cost
  // every start of the provider more than everything else in this package together.
  const { koaBody } = await import('koa-body')
  return koaBody({
    json: true,
    jsonLimit: maxBytes,
    jsonStrict: true,
    multipart: false,
    text: false,
    urlencoded: false,
  })
}
