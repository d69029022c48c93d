import type { Context } from 'koa'
import { Problem } from '../http/problem.ts'

/**
 * Takes a form by the cookie only from a page of ours. Browsers send `Sec-Fetch-Site` and `Origin`,
 * and no page can set them. WebKit 2.50 sends `cross-site` with a form of ours that opens a tab
 * without an opener, and a page without a referrer sends the origin `null`.
 *
 * @param url the public origin of the console
 * @throws Problem 403
 */
export function assertSameOrigin(ctx: Context, url: string): void {
  const isOurs = ctx.get('Sec-Fetch-Site') === 'same-origin' || ctx.get('Origin') === url
  if (!isOurs) throw otherSite()
}

/**
 * Refuses a link of another site to an export: the audit says that the person exported.
 *
 * @throws Problem 403
 */
export function assertOwnLink(ctx: Context): void {
  if (/^(?:cross|same)-site$/.test(ctx.get('Sec-Fetch-Site'))) throw otherSite()
}

const otherSite = () => new Problem(403, 'other_site', 'this form comes from another site')
