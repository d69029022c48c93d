import Router from '@koa/router'
import type { Middleware } from 'koa'
import { bearerToken } from '../http/bearer.ts'
import { answerProblems, BearerProblem, Problem } from '../http/problem.ts'
import { type AccessTokenOptions, accessTokenVerifier } from './access-token.ts'
import { ordersOf } from './orders.ts'

/** The resource API: `GET /orders` answers with the orders of the token's subject. */
export function ordersApi(options: AccessTokenOptions): Middleware {
  const verify = accessTokenVerifier(options)
  const router = new Router()

  router.all('/orders', answerProblems('orders'), async (ctx) => {
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      ctx.set('Allow', 'GET, HEAD')
      throw new Problem(405, 'invalid_request', 'only GET is allowed here')
    }
    const { subject, actor, scopes } = await verify(bearerToken(ctx))
    requireScope(scopes, 'orders:read')
    ctx.body = { subject, ...(actor === undefined ? {} : { actor }), orders: ordersOf(subject) }
  })

  // The router itself gives the context what its type asks for beyond a plain one.
  return router.routes() as Middleware
}

function requireScope(scopes: ReadonlySet<string>, scope: string): void {
  if (scopes.has(scope)) return
  throw new BearerProblem('insufficient_scope', `the access token lacks ${scope}`, { scope })
}
