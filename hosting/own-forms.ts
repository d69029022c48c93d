import type { Middleware } from 'koa'

/**
 * Fetch Metadata: browsers send the origin of a form. The cookie alone does not protect against
 * another port of this host, and the path protects only because its `uid` is random.
 */
export const refuseOtherOrigins: Middleware = async (ctx, next) => {
  // Old browsers send nothing. `none` is an action of the person: a reload of the page.
  const isOwn = ['', 'none', 'same-origin'].includes(ctx.get('Sec-Fetch-Site'))
  if (ctx.method === 'POST' && !isOwn) ctx.throw(403, 'a form of another origin')
  await next()
}
