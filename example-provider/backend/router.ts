import Router from '@koa/router'
import type { Middleware } from 'koa'
import { readJson } from '../http/json-body.ts'
import { onlyMethods } from '../http/methods.ts'
import { answerProblems } from '../http/problem.ts'
import { searchAudit } from './audit.ts'
import { auditStream } from './audit-stream.ts'
import { describeMe, findCustomers } from './customers.ts'
import { impersonationEnd } from './end.ts'
import { requestImpersonation } from './impersonations.ts'
import { forStaff } from './operator.ts'
import type { BackendOptions } from './options.ts'
import { parseQuery, parseText } from './query.ts'
import { parseEnd } from './request.ts'

/**
 * The support backend, for the applications of operators: the list of customers, the request to
 * act, its end, and the audit.
 */
export function supportBackend(options: BackendOptions): Middleware {
  const { audit, now } = options
  const router = new Router({ prefix: '/support' })
  const end = impersonationEnd(audit, now)
  const reading = [answerProblems('support'), onlyMethods('GET', 'HEAD')] as const
  const acting = [answerProblems('support'), onlyMethods('POST')] as const

  router.all(
    '/me',
    ...reading,
    forStaff(options, (ctx, operatorId) => {
      parseQuery(ctx.querystring)
      ctx.body = describeMe(operatorId)
    }),
  )
  router.all(
    '/customers',
    ...reading,
    forStaff(options, (ctx) => {
      ctx.body = findCustomers(parseText(parseQuery(ctx.querystring, 'q'), 'q'))
    }),
  )
  router.all(
    '/audit',
    ...reading,
    forStaff(options, async (ctx) => {
      ctx.body = await searchAudit(audit, ctx.querystring)
    }),
  )
  router.all(
    '/audit/stream',
    answerProblems('support'),
    onlyMethods('GET'),
    forStaff(options, auditStream(options)),
  )
  router.all('/impersonations', ...acting, requestImpersonation(options))
  router.all(
    '/impersonations/end',
    ...acting,
    forStaff(options, async (ctx, operatorId) => {
      await end(operatorId, parseEnd(await readJson(ctx)))
      ctx.status = 204
    }),
  )

  // The router itself adds the context members that its type requires.
  return router.routes() as Middleware
}
