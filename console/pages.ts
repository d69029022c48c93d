import Router from '@koa/router'
import type { Middleware } from 'koa'
import { customerAccount } from './account/page.ts'
import { showApplication } from './http/application.ts'
import { consolePage } from './page.ts'

/** An application that accepts impersonations: `acceptImpersonation` of the browser module. */
export interface CustomerApplication {
  /** How a sentence names it: *the shop*. */
  readonly name: string
  /** The page that is opened. */
  readonly url: string
  readonly clientId: string
}

export interface PageOptions {
  readonly application?: CustomerApplication | undefined
  /** The password of all accounts, if it is public and the pages may show it. */
  readonly password?: string | undefined
}

/** The pages of the console and of the customer's account. */
export function pages({ application, password }: PageOptions): Middleware {
  const router = new Router()
  const console = consolePage(password, application)
  const account = customerAccount(password)

  router.get(['/console', '/console/callback'], (ctx) => {
    showApplication(ctx, console)
  })
  router.get(['/account', '/account/callback'], (ctx) => {
    showApplication(ctx, account)
  })

  // The router itself adds the context members that its type requires.
  return router.routes() as Middleware
}
