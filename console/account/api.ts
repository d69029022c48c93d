import { setImmediate as turn } from 'node:timers/promises'
import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import type { Impersonation, ImpersonationObject } from 'oidc-provider-impersonation'
import type { Audit } from '../audit/audit.ts'
import { search } from '../audit/search.ts'
import type { IntrospectionOptions } from '../backend/options.ts'
import { parseLimit, parseQuery } from '../backend/query.ts'
import { findSignedIn } from '../backend/signed-in.ts'
import { bearerToken } from '../http/bearer.ts'
import { readJson } from '../http/json-body.ts'
import { onlyMethods } from '../http/methods.ts'
import { answerProblems, Problem } from '../http/problem.ts'
import { endsWithin } from '../http/within.ts'
import type { People } from '../people.ts'
import type { AccountAnswer, RunningAnswer } from './answers.ts'
import { endingsOf } from './endings.ts'
import { concerns, runningFor, toldTo } from './entries.ts'

export interface AccountOptions extends IntrospectionOptions {
  /** The applications from which this API accepts the tokens of customers. */
  readonly customerClients: readonly string[]
  readonly people: People
  readonly audit: Audit
  readonly impersonation: Pick<Impersonation, 'end' | 'get' | 'list'>
}

/** How long the answer waits for the entry of an end to be stored, in milliseconds. */
const SETTLE_TIMEOUT_MS = 2000

/** `/account/impersonations`: the impersonations of a customer, for this customer. */
export function accountApi(options: AccountOptions): Middleware {
  const { audit, customerClients, impersonation, people } = options
  const router = new Router({ prefix: '/account/impersonations' })
  const reading = [answerProblems('account'), onlyMethods('GET', 'HEAD')] as const
  const customerOf = (ctx: Context) => findSignedIn(bearerToken(ctx), customerClients, options)

  router.all('/', ...reading, async (ctx) => {
    const accountId = await customerOf(ctx)
    const query = parseQuery(ctx.querystring, 'before', 'limit')
    const page = await search(audit.store, concerns(accountId), {
      needed: 'without requests',
      before: query.get('before'),
      limit: parseLimit(query),
    })
    const endings = await endingsOf(audit.store, page.entries)
    const answer: AccountAnswer = {
      entries: page.entries.flatMap(({ entry }) => toldTo(entry, endings, people)),
      next: page.next,
    }
    ctx.body = answer
  })

  router.all('/running', ...reading, async (ctx) => {
    const userId = await customerOf(ctx)
    parseQuery(ctx.querystring)
    const running: ImpersonationObject[] = []
    let cursor: string | undefined
    do {
      const page = await impersonation.list({ userId, state: 'active', limit: 100, cursor })
      running.push(...page.items)
      cursor = page.next
    } while (cursor !== undefined)
    const answer: RunningAnswer = { running: running.map((one) => runningFor(one, people)) }
    ctx.body = answer
  })

  // No cookie is read, so another site can send nothing that counts.
  router.all('/end', answerProblems('account'), onlyMethods('POST'), async (ctx) => {
    const accountId = await customerOf(ctx)
    const id = parseId(await readJson(ctx))
    const found = await impersonation.get(id)
    if (found?.userId !== accountId) {
      throw new Problem(404, 'not_found', 'there is no such impersonation of you')
    }
    await impersonation.end(id, { by: { sub: accountId }, cause: 'user' })
    // The event comes in a later turn. The list that the page asks for next shows the end.
    await turn()
    await endsWithin(SETTLE_TIMEOUT_MS, audit.settled())
    ctx.status = 204
  })

  // The router itself adds the context members that its type requires.
  return router.routes() as Middleware
}

function parseId(body: unknown): string {
  if (typeof body === 'object' && body !== null && Object.keys(body).join() === 'id') {
    const id: unknown = Reflect.get(body, 'id')
    if (typeof id === 'string' && /^[\w-]{43}$/.test(id)) return id
  }
  throw new Problem(400, 'invalid_request', 'the body must be an object with id and nothing else')
}
