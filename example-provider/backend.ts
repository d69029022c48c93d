// The integrator's backend: `POST /support/impersonations`. It decides whether this operator may act
// as this customer, for what and for how long, and asks the management API for a subject token. It
// could be a process of its own: it knows the provider by its URL alone.
import Router from '@koa/router'
import type { Middleware } from 'koa'
import type { RecordRefusal } from 'oidc-provider-impersonation-console'
import { z } from 'zod'
import { bodyOf, someText } from '../hosting/body.ts'
import { bearerToken } from '../hosting/http/bearer.ts'
import { readBody } from '../hosting/http/json-body.ts'
import { onlyMethods } from '../hosting/http/methods.ts'
import { answerProblems, Problem } from '../hosting/http/problem.ts'
import { machineClient } from '../hosting/machine-client.ts'
import type { IntrospectionOptions } from '../hosting/provider-client.ts'
import { findSignedIn } from '../hosting/signed-in.ts'
import { subjectTokenOf } from '../hosting/subject-token-of.ts'
import { people } from './accounts.ts'

/** How the backend reaches the provider, and the client that it is there. */
export interface BackendOptions extends IntrospectionOptions {
  /** The origin of all public URLs. */
  readonly url: string
  /** The applications from which the backend accepts the tokens of operators. */
  readonly operatorClients: readonly string[]
  /** Keeps what the backend refuses. Throws where one operator is refused too often. */
  readonly recordRefusal: RecordRefusal
  /** The clock, in milliseconds. */
  readonly now?: () => number
}

const SCOPE = 'scope must be of: orders:read, orders:write'
const SCOPES = /^orders:(?:read|write|read orders:write|write orders:read)$/
const EXPIRES_IN = 'expiresIn must be a positive integer: seconds'
const DURATION = 'duration must be an integer from 30 to 600: seconds'

const REQUEST = bodyOf({
  userId: someText('userId', 255),
  reason: someText('reason', 500),
  ticketId: someText('ticketId', 100),
  // Without a scope, the operator may only read.
  scope: z.string(SCOPE).regex(SCOPES, SCOPE).default('orders:read'),
  // Until the exchange, and for acting. The provider has upper limits of its own.
  expiresIn: z.int(EXPIRES_IN).positive(EXPIRES_IN).optional(),
  // Where the operator acts. Without it, in any application that can exchange.
  application: z.enum(['shop'], 'application must be shop').optional(),
  duration: z.int(DURATION).min(30, DURATION).max(600, DURATION).optional(),
})

export function supportBackend(options: BackendOptions): Middleware {
  const { url, operatorClients, recordRefusal } = options
  const managementApi = { resource: `${url}/api`, scope: 'impersonate' }
  const post = machineClient({ ...options, ...managementApi })
  const router = new Router()
  const before = [answerProblems('support'), onlyMethods('POST')] as const

  router.all('/support/impersonations', ...before, async (ctx) => {
    const operator = await findSignedIn(bearerToken(ctx), operatorClients, options)
    const isStaff = people.find(operator)?.isStaff === true
    // A person who may not act learns nothing about the body. The record shows what was asked for.
    const request = await readBody(ctx, REQUEST).catch((problem): undefined => {
      if (isStaff) throw problem
    })
    const { userId = '', scope, expiresIn, reason, ticketId, duration, application } = request ?? {}
    const context = { ticketId, reason, supportEngineerId: operator, duration }

    const refusal = !isStaff
      ? 'only support staff may act as a customer'
      : people.find(userId)?.isProtected
        ? 'this user is protected'
        : undefined
    if (refusal !== undefined) {
      const error = 'access_denied'
      const asked = request && { subject: userId, scope, context }
      await recordRefusal({ operator, error, reason: refusal, request: asked })
      throw new Problem(403, error, refusal)
    }

    const answer = await post('/api/subject-tokens', {
      userId,
      context,
      // The token is bound: to this operator, in this application, to the orders API, and to these
      // scopes at most.
      mayAct: { sub: operator, clientId: application },
      resource: `${url}/orders`,
      scope,
      expiresIn,
    })
    ctx.status = 201
    ctx.type = 'json'
    // Unchanged: { subjectToken, expiresIn }.
    ctx.body = subjectTokenOf(answer)
  })

  // The router itself adds the context members that its type requires.
  return router.routes() as Middleware
}
