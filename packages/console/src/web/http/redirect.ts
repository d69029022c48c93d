import type { Context } from 'koa'

/** Leads a browser on, by a GET. */
export function redirect(ctx: Context, to: string): void {
  ctx.status = 303
  ctx.redirect(to)
}
