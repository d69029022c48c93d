import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Middleware } from 'koa'

/** The URL path of what the pages load. */
export const ASSETS = '/assets'

const FILES: ReadonlyArray<readonly [name: string, type: string]> = [
  ['page.css', 'text/css; charset=utf-8'],
  ['icon.svg', 'image/svg+xml'],
  ['submit.js', 'text/javascript; charset=utf-8'],
]

interface Asset {
  readonly body: Buffer
  readonly type: string
  readonly etag: string
}

/** Reads the files of the pages once, and serves these and nothing else. */
export async function pageAssets(): Promise<Middleware> {
  const assets = new Map<string, Asset>()
  for (const [name, type] of FILES) {
    const body = await readFile(new URL(name, import.meta.url))
    const etag = createHash('sha256').update(body).digest('base64url')
    assets.set(`${ASSETS}/${name}`, { body, type, etag })
  }

  return async (ctx, next) => {
    const asset = assets.get(ctx.path)
    if (!asset || (ctx.method !== 'GET' && ctx.method !== 'HEAD')) return next()
    // The browser asks each time and loads only a changed file.
    ctx.set({ 'Cache-Control': 'no-cache', 'Cross-Origin-Resource-Policy': 'same-origin' })
    ctx.type = asset.type
    ctx.etag = asset.etag
    ctx.status = 200
    if (ctx.fresh) ctx.status = 304
    else ctx.body = asset.body
  }
}
