import type { Context } from 'koa'

/** The URL that the caller used, without its query, before any mount or proxy changed it. */
function publicUrl(ctx: Context): string {
  return urlAt(ctx.href, ctx)
}

/**
 * The path that the caller used, before any mount changed it, at the origin of `base`.
 *
 * @param base where `Host` must not count: the issuer
 */
export function urlAt(base: string, ctx: Context): string {
  const { origin } = new URL(base)
  const url = new URL(origin)
  // Express and its like keep the path before their mounts here, Koa in its own context.
  const path = 'originalUrl' in ctx.req ? String(ctx.req.originalUrl) : ctx.originalUrl
  url.pathname = new URL(path, origin).pathname
  return url.href
}

/**
 * A URL beside the one that the caller used: its last segment replaced. Parsing four URLs would take
 * a tenth of an issue, and callers use the same one again and again: the last one is kept.
 *
 * @param path what is safe in a URL as it is
 */
export function siblingUrls(): (ctx: Context, path: string) => string {
  let known = { of: '', base: '' }
  return (ctx, path) => {
    // All that publicUrl() reads. None of it can contain a line feed.
    const { originalUrl = '' } = ctx.req as { originalUrl?: unknown }
    const of = `${ctx.protocol}\n${ctx.host}\n${ctx.originalUrl}\n${originalUrl}`
    if (known.of !== of) known = { of, base: new URL('.', publicUrl(ctx)).href }
    return known.base + path
  }
}
