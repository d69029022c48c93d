import type { Context } from 'koa'
import { urlAt } from '../host/request.ts'

/** The URL that the caller used, without its query, before any mount or proxy changed it. */
function publicUrl(ctx: Context): string {
  return urlAt(ctx.href, ctx)
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
