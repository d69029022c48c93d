import type { Context } from 'koa'
import { Problem } from '../http/problem.ts'

/**
 * Takes a form by the cookie only from a page of ours. Every browser since 2023 sends
 * `Sec-Fetch-Site`, and others `Origin`.
 *
 * @param url the public origin of the console
 * @throws Problem 403
 */
export function assertSameOrigin(ctx: Context, url: string): void {
  const site = ctx.get('Sec-Fetch-Site')
  const isOurs = site === '' ? ctx.get('Origin') === url : site === 'same-origin'
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
