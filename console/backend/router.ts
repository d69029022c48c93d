import Router from '@koa/router'
import type { Middleware } from 'koa'
import { onlyMethods } from '../http/methods.ts'
import { answerProblems } from '../http/problem.ts'
import { searchAudit } from './audit.ts'
import { auditStream } from './audit-stream.ts'
import { describeMe, findCustomers } from './customers.ts'
import { forStaff } from './operator.ts'
import type { BackendOptions } from './options.ts'
import { parseQuery, parseText } from './query.ts'

/**
 * What the console asks for operators: who they are, the list of customers, and the audit.
 */
export function operatorEndpoints(options: BackendOptions): Middleware {
  const { audit, people } = options
  const router = new Router({ prefix: '/support' })
  const reading = [answerProblems('support'), onlyMethods('GET', 'HEAD')] as const

  router.all(
    '/me',
    ...reading,
    forStaff(options, (ctx, operatorId) => {
      parseQuery(ctx.querystring)
      ctx.body = describeMe(operatorId, people)
    }),
  )
  router.all(
    '/customers',
    ...reading,
    forStaff(options, (ctx) => {
      ctx.body = findCustomers(people, parseText(parseQuery(ctx.querystring, 'q'), 'q'))
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

  // The router itself adds the context members that its type requires.
  return router.routes() as Middleware
}
