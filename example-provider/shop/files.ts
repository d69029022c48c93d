import { hash } from 'node:crypto'
import type { Middleware } from 'koa'

/** A file in memory, and the headers that it is answered with. */
export interface ServedFile {
  readonly body: string | Buffer
  readonly type: string
  /** @defaultValue `no-cache`: the browser asks each time, and loads only a changed file */
  readonly cacheControl?: string
}

/** Answers these files by their URL path, and nothing else. */
export function serveFiles(files: ReadonlyMap<string, ServedFile>): Middleware {
  const etags = new Map(
    [...files].map(([path, { body }]) => [path, hash('sha256', body, 'base64url')]),
  )
  return async (ctx, next) => {
    const file = files.get(ctx.path)
    if (!file || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
    // Koa adds a charset to `ctx.type`, and YAML has none (RFC 9512 §2.1).
    ctx.set({
      'Cache-Control': file.cacheControl ?? 'no-cache',
      'Content-Type': file.type,
      'Cross-Origin-Resource-Policy': 'same-origin',
    })
    ctx.etag = etags.get(ctx.path) ?? ''
    ctx.status = 200
    if (ctx.fresh) ctx.status = 304
    else ctx.body = file.body
  }
}
