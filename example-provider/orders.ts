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
  type ResourceServerOptions,
  requireScope,
  resourceServer,
} from 'oidc-provider-impersonation/resource-server'
import { people } from './accounts.ts'
import { allowOrigin } from './cors.ts'
import { copilotTools } from './demo/copilot-tools.ts'
import { DEMO_ORDERS } from './demo/orders.ts'
import { bodyShape, onlyMethods, plainText, readBody } from './json.ts'
import { usedProofs } from './used-proofs.ts'

export interface OrdersOptions {
  /** The origin of all public URLs. */
  readonly url: string
  /** The origin of the shop, whose pages may call the API. */
  readonly shopUrl?: string | undefined
  /** The origin at which the provider is reached from here. */
  readonly providerUrl: string
  readonly adapter: AdapterFactory
  /** Records what operators do. */
  readonly onImpersonatedRequest?: OnImpersonatedRequest | undefined
  /** Whether impersonated tokens are refused that nothing can end. */
  readonly requireStatus?: boolean
}

/** An empty note removes the note. */
const NOTE_BODY = bodyShape({
  deliveryNote: plainText('deliveryNote', 'a text of at most 200 characters', /^.{0,200}$/su),
})
const EMAIL_BODY = bodyShape({
  email: plainText(
    'email',
    'an address of at most 254 characters',
    /^(?=.{1,254}$)[^\s@]+@[^\s@]+$/u,
  ),
})

/** The orders, and the same for a copilot. */
export function apis(options: OrdersOptions): readonly Middleware[] {
  return [ordersApi(options), copilotTools(options.url, guardOptions(options))]
}

export function ordersApi(options: OrdersOptions): Middleware {
  const guard = createGuard(options)
  const router = new Router<{ caller: Caller }>({ prefix: '/orders' })
  router.use(allowOrigin(options.shopUrl))
  const ordersOf = new Map(Object.entries(DEMO_ORDERS))
  const emails = new Map<string, string>()

  const read = guard(requireScope('orders:read'))
  router.all('/', onlyMethods('GET', 'HEAD'), read, (ctx) => {
    const { subject, actor } = ctx.state.caller
    const [email, orders = []] = [emails.get(subject), ordersOf.get(subject)]
    const { name, givenName, possessive } = people.find(subject) ?? {}
    const customer = name === undefined ? undefined : { name, givenName, possessive }
    ctx.body = { subject, actor: actor?.sub, customer, email, orders }
  })

  // This route comes before the orders, because `email` would match an order id. Only the customer
  // in person may do this: that is checked before the scope, because no scope would help.
  const inPerson = guard(denyImpersonation(), requireScope('orders:write'))
  router.all('/email', onlyMethods('PUT'), inPerson, async (ctx) => {
    const { email } = await readBody(ctx, EMAIL_BODY)
    emails.set(ctx.state.caller.subject, email)
    ctx.body = { email }
  })

  const write = guard(requireScope('orders:write'))
  router.all('/:id', onlyMethods('PATCH'), write, async (ctx) => {
    const { deliveryNote } = await readBody(ctx, NOTE_BODY)
    const { subject, actor, isImpersonated } = ctx.state.caller
    const orders = ordersOf.get(subject) ?? []
    const order = orders.find(({ id }) => id === ctx.params.id)
    if (!order) return ctx.throw(404, 'there is no such order', { error: 'not_found' })
    if (order.status === 'delivered') {
      return ctx.throw(409, 'the order is delivered already', { error: 'conflict' })
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

/** What the guards of both APIs are given, but for their audience. */
function guardOptions(options: OrdersOptions): Omit<ResourceServerOptions, 'audience'> {
  const { url, providerUrl, adapter, onImpersonatedRequest, requireStatus = true } = options
  return {
    issuer: `${url}/oidc`,
    algorithms: ['ES256'],
    // Both sides use the same clock.
    clockTolerance: 0,
    dPoP: { baseUrl: url, replayStore: usedProofs(adapter) },
    requireStatus,
    onImpersonatedRequest,
    jwksUri: `${url}/oidc/jwks`,
    // Keys and status lists have the public address, which may not be reached from here.
    fetch: (address, init) => fetch(providerUrl + address.slice(url.length), init),
  }
}

/** Makes middleware that lets a caller through who meets the requirements, or answers 401 or 403. */
function createGuard(options: OrdersOptions) {
  const server = resourceServer({
    ...guardOptions(options),
    audience: `${options.url}/orders`,
  })
  return (...requirements: readonly Requirement[]): Middleware<{ caller: Caller }> => {
    const guard = server.koa(...requirements)
    return async (ctx, next) => {
      let passed = false
      const pass = async () => {
        passed = true
      }
      // It cannot have the keys, a status list or the used proofs. Errors of a route are no 503.
      await guard(ctx, pass).catch((cause) => {
        const error = 'temporarily_unavailable'
        ctx.throw(503, 'the access token cannot be checked', { error, cause })
      })
      if (passed) await next()
    }
  }
}
