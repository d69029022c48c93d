import type { Context } from 'koa'

/** The URL that the caller used, without its query, before any mount or proxy changed it. */
export function publicUrl(ctx: Context): string {
  // Express and its like keep the path before their mounts here, Koa in its own context.
  const path = 'originalUrl' in ctx.req ? String(ctx.req.originalUrl) : ctx.originalUrl
  const { origin } = new URL(ctx.href)
  return new URL(new URL(path, origin).pathname, origin).href
}

/** A URL beside the one that the caller used: its last segment replaced. */
export function siblingUrl(ctx: Context, path: string): string {
  return new URL(path, publicUrl(ctx)).href
}
