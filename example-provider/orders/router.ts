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
 * - `GET /orders`: the orders of the subject
 * - `PATCH /orders/:id`: changes the delivery note; an operator may do this too
 * - `PUT /orders/email`: changes the contact address; only the subject may do this
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

  // This route comes before the orders, because `email` would match an order id. The check for
  // impersonation comes before the check of the scope, because no scope would help.
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

  // The router itself adds the context members that its type requires.
  return router.routes() as Middleware
}

function authorOf({ subject, actor, isImpersonated }: Caller): Author {
  return isImpersonated ? { subject, actor: actor?.sub ?? null } : { subject }
}
