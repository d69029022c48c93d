// The API that operators act on: the orders of the subject of the access token. The guard of this
// package tells who the subject is and who acts; each route says what an operator may not do.
import Router from '@koa/router'
import type { Middleware } from 'koa'
import type { AdapterFactory } from 'oidc-provider-impersonation'
import {
  type Caller,
  denyImpersonation,
  type OnImpersonatedRequest,
  type Requirement,
  requireScope,
  resourceServer,
} from 'oidc-provider-impersonation/resource-server'
import { bodyOf, plainText } from '../hosting/body.ts'
import { readBody } from '../hosting/http/json-body.ts'
import { onlyMethods } from '../hosting/http/methods.ts'
import { answerProblems, Problem } from '../hosting/http/problem.ts'
import { orUnavailable } from '../hosting/or-unavailable.ts'
import { usedProofs } from '../hosting/used-proofs.ts'
import { people } from './accounts.ts'
import { ORDERS } from './demo/orders.ts'

export interface OrdersOptions {
  /** The origin of all public URLs. */
  readonly url: string
  /** The origin at which the provider is reached from here. */
  readonly providerUrl: string
  readonly adapter: AdapterFactory
  /** Records what operators do. */
  readonly onImpersonatedRequest?: OnImpersonatedRequest | undefined
  /** Whether impersonated tokens are refused that nothing can end. */
  readonly requireStatus?: boolean
}

/** An empty note removes the note. */
const NOTE = bodyOf({
  deliveryNote: plainText(
    'deliveryNote',
    'a text of at most 200 characters',
    (note) => [...note].length <= 200,
  ),
})
const EMAIL = bodyOf({
  email: plainText(
    'email',
    'an address of at most 254 characters',
    (email) => email.length <= 254 && /^[^\s@]+@[^\s@]+$/u.test(email),
  ),
})

export function ordersApi(options: OrdersOptions): Middleware {
  const guard = guardOf(options)
  const problems = answerProblems('orders')
  const router = new Router<{ caller: Caller }>()
  const ordersOf = new Map(Object.entries(ORDERS))
  const emails = new Map<string, string>()

  const read = [problems, onlyMethods('GET', 'HEAD'), guard(requireScope('orders:read'))] as const
  router.all('/orders', ...read, (ctx) => {
    const { subject, actor } = ctx.state.caller
    const [email, orders = []] = [emails.get(subject), ordersOf.get(subject)]
    const { name, givenName, possessive } = people.find(subject) ?? {}
    const customer = name === undefined ? undefined : { name, givenName, possessive }
    ctx.body = { subject, actor: actor?.sub, customer, email, orders }
  })

  // This route comes before the orders, because `email` would match an order id. Only the customer
  // in person may do this: that is checked before the scope, because no scope would help.
  const inPerson = guard(denyImpersonation(), requireScope('orders:write'))
  router.all('/orders/email', problems, onlyMethods('PUT'), inPerson, async (ctx) => {
    const { email } = await readBody(ctx, EMAIL)
    emails.set(ctx.state.caller.subject, email)
    ctx.body = { email }
  })

  const write = [problems, onlyMethods('PATCH'), guard(requireScope('orders:write'))] as const
  router.all('/orders/:id', ...write, async (ctx) => {
    const { deliveryNote } = await readBody(ctx, NOTE)
    const { subject, actor, isImpersonated } = ctx.state.caller
    const orders = ordersOf.get(subject) ?? []
    const order = orders.find(({ id }) => id === ctx.params.id)
    if (!order) throw new Problem(404, 'not_found', 'there is no such order')
    if (order.status === 'delivered') {
      throw new Problem(409, 'conflict', 'the order is delivered already')
    }
    const changedBy = isImpersonated ? { subject, actor: actor?.sub ?? null } : { subject }
    const changed = { ...order, deliveryNote: deliveryNote || undefined, changedBy }
    const replaced = orders.map((one) => (one === order ? changed : one))
    ordersOf.set(subject, replaced)
    ctx.body = changed
  })

  // The router itself adds the context members that its type requires.
  return router.routes() as Middleware
}

/** Makes middleware that lets a caller through who meets the requirements, or answers 401 or 403. */
function guardOf({
  url,
  providerUrl,
  adapter,
  onImpersonatedRequest,
  requireStatus = true,
}: OrdersOptions) {
  const server = resourceServer({
    issuer: `${url}/oidc`,
    audience: `${url}/orders`,
    algorithms: ['ES256'],
    // Both sides use the same clock.
    clockTolerance: 0,
    dPoP: { baseUrl: url, replayStore: usedProofs(adapter) },
    requireStatus,
    onImpersonatedRequest,
    jwksUri: `${url}/oidc/jwks`,
    // Keys and status lists have the public address, which may not be reached from here.
    fetch: (address, init) => fetch(providerUrl + address.slice(url.length), init),
  })
  return (...requirements: readonly Requirement[]) =>
    orUnavailable<{ caller: Caller }>(server.koa(...requirements))
}
