import Router from '@koa/router'
import type { Middleware } from 'koa'
import type { Audit } from '../audit/audit.ts'
import { search } from '../audit/search.ts'
import type { IntrospectionOptions } from '../backend/options.ts'
import { parseLimit, parseQuery } from '../backend/query.ts'
import { findSignedIn } from '../backend/signed-in.ts'
import { bearerToken } from '../http/bearer.ts'
import { onlyMethods } from '../http/methods.ts'
import { answerProblems } from '../http/problem.ts'
import type { AccountAnswer } from './answers.ts'
import { endingsOf } from './endings.ts'
import { concerns, toldTo } from './entries.ts'

export interface AccountOptions extends IntrospectionOptions {
  /** The applications from which this API accepts the tokens of customers. */
  readonly customerClients: readonly string[]
  readonly audit: Audit
}

/** `GET /account/impersonations`: the impersonations of a customer, for this customer. */
export function accountApi(options: AccountOptions): Middleware {
  const { audit, customerClients } = options
  const router = new Router()

  router.all(
    '/account/impersonations',
    answerProblems('account'),
    onlyMethods('GET', 'HEAD'),
    async (ctx) => {
      const accountId = await findSignedIn(bearerToken(ctx), customerClients, options)
      const query = parseQuery(ctx.querystring, 'before', 'limit')
      const page = await search(audit.store, concerns(accountId), {
        before: query.get('before'),
        limit: parseLimit(query),
      })
      const endings = await endingsOf(audit.store, page.entries)
      const answer: AccountAnswer = {
        entries: page.entries.flatMap(({ entry }) => toldTo(entry, endings)),
        next: page.next,
      }
      ctx.body = answer
    },
  )

  // The router itself adds the context members that its type requires.
  return router.routes() as Middleware
}
