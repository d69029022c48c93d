// What is around the parts, and has nothing to do with impersonation: the headers of each answer,
// the front page, and what is answered where no part answers.
import type { Middleware } from 'koa'
import type { Config } from './config.ts'
import { sendHome } from './demo/home.ts'
import { demoPages } from './demo/pages.ts'
import { publicPassword } from './demo/secrets.ts'
import { pinOrigin, securityHeaders } from './headers.ts'
import { notFound } from './json.ts'

/** Before all parts. */
export function headers(url: string, shopUrl: string): readonly Middleware[] {
  return [pinOrigin(url), securityHeaders(shopUrl), sendHome(url)]
}

/** After all parts. */
export async function pages(config: Config, shopUrl: string): Promise<readonly Middleware[]> {
  return [...(await demoPages(shopUrl, publicPassword(config))), notFound]
}
