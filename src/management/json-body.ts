import type { Context, Middleware } from 'koa'
import { errors } from 'oidc-provider'
import { InvalidInput } from '../impersonations/inputs.ts'

/**
 * Reads a JSON request body, and nothing else: no form, no multipart, no file touches the disk.
 *
 * @throws errors.InvalidRequest with status 400, 413 or 415.
 */
export type JsonReader = (ctx: Context) => Promise<unknown>

/** @param maxBytes the largest body, in bytes */
export function jsonReader(maxBytes: number): JsonReader {
  let parser: Promise<Middleware> | undefined

  return async (ctx) => {
    if (ctx.request.type.trim().toLowerCase() !== 'application/json') {
      throw new errors.InvalidRequest('Content-Type must be application/json', 415)
    }
    // Compressed bodies are refused: a small body needs no compression, and a compressed body can
    // expand to a very large one.
    if (!/^(?:identity)?$/.test(ctx.get('Content-Encoding'))) {
      throw new errors.InvalidRequest('Content-Encoding is not supported', 415)
    }
    // Some frameworks read the body before any middleware runs. Their limits apply then.
    if (!ctx.req.readable) return ctx.req.body ?? ctx.request.body
    parser ??= jsonParser(maxBytes)
    const parse = await parser
    try {
      await parse(ctx, async () => {})
    } catch (cause) {
      throw asInvalidRequest(cause, maxBytes)
    }
    return ctx.request.body
  }
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

function asInvalidRequest(cause: unknown, maxBytes: number): unknown {
  switch (cause instanceof Error && 'status' in cause ? cause.status : undefined) {
    case 400:
      return new errors.InvalidRequest('the body is not a valid JSON object', 400, { cause })
    case 413:
      return new errors.InvalidRequest(`the body must not exceed ${maxBytes} bytes`, 413, { cause })
    default:
      return cause
  }
}

/** Whether the request has a body, where that is optional. */
export function hasBody(ctx: Context): boolean {
  return (
    ctx.get('Content-Type') !== '' ||
    Number(ctx.request.length ?? 0) > 0 ||
    ctx.get('Transfer-Encoding') !== ''
  )
}

/** What cannot be understood is the caller's mistake: {@link InvalidInput} is errors.InvalidRequest. */
export async function asRequest<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof InvalidInput) throw new errors.InvalidRequest(error.message)
    throw error
  }
}
