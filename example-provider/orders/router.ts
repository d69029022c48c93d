import Router from '@koa/router'
import type { Middleware } from 'koa'
import { type Caller, denyImpersonation, requireScope } from '../../src/resource-server/index.ts'
import { readJson } from '../http/json-body.ts'
import { onlyMethods } from '../http/methods.ts'
import { answerProblems } from '../http/problem.ts'
import { type GuardOptions, ordersGuard } from './guard.ts'
import { type Author, OrderBook } from './orders.ts'
import { parseDeliveryNote, parseEmail } from './request.ts'

/**
 * The resource API, for the subject of the token:
 *
 * - `GET /orders`: their orders
 * - `PATCH /orders/:id`: the delivery note, which whoever acts for them may change, too
 * - `PUT /orders/email`: the contact address, which is for them alone to change
 */
export function ordersApi(options: GuardOptions): Middleware {
  const guard = ordersGuard(options)
  const book = new OrderBook()
  const router = new Router<{ caller: Caller }>()
  const problems = answerProblems('orders')

  router.all(
    '/orders',
    problems,
    onlyMethods('GET', 'HEAD'),
    guard(requireScope('orders:read')),
    (ctx) => {
      const { subject, actor } = ctx.state.caller
      const email = book.emailOf(subject)
      ctx.body = {
        subject,
        ...(actor ? { actor: actor.sub } : {}),
        ...(email === undefined ? {} : { email }),
        orders: book.ordersOf(subject),
      }
    },
  )

  // Before the orders: it would be taken for one of them. And the impersonation before the scope:
  // no scope would help.
  router.all(
    '/orders/email',
    problems,
    onlyMethods('PUT'),
    guard(denyImpersonation(), requireScope('orders:write')),
    async (ctx) => {
      const email = parseEmail(await readJson(ctx))
      book.changeEmail(ctx.state.caller.subject, email)
      ctx.body = { email }
    },
  )

  router.all(
    '/orders/:id',
    problems,
    onlyMethods('PATCH'),
    guard(requireScope('orders:write')),
    async (ctx) => {
      const note = parseDeliveryNote(await readJson(ctx))
      ctx.body = book.changeDeliveryNote(String(ctx.params.id), note, authorOf(ctx.state.caller))
    },
  )

  // The router itself gives the context what its type asks for beyond a plain one.
  return router.routes() as Middleware
}

function authorOf({ subject, actor, isImpersonated }: Caller): Author {
  return isImpersonated ? { subject, actor: actor?.sub ?? null } : { subject }
}
