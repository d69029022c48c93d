import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Middleware } from 'koa'

/** The URL path of the OpenAPI description. */
export const OPENAPI = '/openapi.yaml'

const FILE = new URL('../../docs/openapi.yaml', import.meta.url)

/** Reads the OpenAPI description once, and serves it. */
export async function loadOpenApi(): Promise<Middleware> {
  const body = await readFile(FILE)
  const etag = createHash('sha256').update(body).digest('base64url')

  return async (ctx, next) => {
    if (ctx.path !== OPENAPI || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
    // RFC 9512 §2.1: the media type has no charset. Koa adds a charset to text types.
    ctx.set({ 'Cache-Control': 'max-age=300', 'Content-Type': 'application/yaml' })
    ctx.etag = etag
    ctx.status = 200
    if (ctx.fresh) ctx.status = 304
    else ctx.body = body
  }
}
