import Router from '@koa/router'
import type { Middleware } from 'koa'
import { bearerToken } from '../http/bearer.ts'
import { readJson } from '../http/json-body.ts'
import { answerProblems, Problem } from '../http/problem.ts'
import { machineToken } from './machine-token.ts'
import { issueSubjectToken } from './management-api.ts'
import { findOperator } from './operator.ts'
import type { BackendOptions } from './options.ts'
import { requireCustomer, requireSupportStaff } from './policy.ts'
import { parseRequest } from './request.ts'

/**
 * The integrator's backend: `POST /support/impersonations`. It decides whether this operator may
 * act as this user, and has the provider issue a subject token if so, bound to this operator, to
 * the orders API and to the scopes that the operator chose.
 */
export function supportBackend(options: BackendOptions): Middleware {
  const token = machineToken(options)
  const router = new Router({ prefix: '/support' })

  router.all('/impersonations', answerProblems('support'), async (ctx) => {
    if (ctx.method !== 'POST') {
      ctx.set('Allow', 'POST')
      throw new Problem(405, 'invalid_request', 'only POST is allowed here')
    }
    const supportEngineerId = await findOperator(bearerToken(ctx), options)
    requireSupportStaff(supportEngineerId)
    const { userId, reason, ticketId, scope, expiresIn } = parseRequest(await readJson(ctx))
    requireCustomer(userId)

    const answer = await issueSubjectToken(
      {
        userId,
        context: { ticketId, reason, supportEngineerId },
        mayAct: { sub: supportEngineerId },
        resource: options.ordersResource,
        scope,
        expiresIn,
      },
      token,
      options,
    )
    ctx.status = 201
    ctx.type = 'json'
    ctx.body = answer
  })

  // The router itself gives the context what its type asks for beyond a plain one.
  return router.routes() as Middleware
}
