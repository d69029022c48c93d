import Router from '@koa/router'
import type { Middleware } from 'koa'
import { customerAccount } from './account/page.ts'
import { showApplication } from './http/application.ts'
import { consolePage } from './page.ts'

/**
 * The pages of the console and of the customer's account.
 *
 * @param password the password of all accounts, if it is public and the pages may show it
 */
export function pages(password: string | undefined): Middleware {
  const router = new Router()
  const console = consolePage(password)
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
