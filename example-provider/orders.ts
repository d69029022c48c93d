// The API that operators act on: the orders of the user of the access token. The guard of this
// package tells who the user is and who acts; each route says what an operator may not do.
import cors from '@koa/cors'
import Router from '@koa/router'
import type { Context, Middleware } from 'koa'
import { koaBody } from 'koa-body'
import type { AdapterFactory } from 'oidc-provider-impersonation'
import {
  type Caller,
  denyImpersonation,
  type OnImpersonatedRequest,
  type ReplayStore,
  type ResourceServerOptions,
  requireScope,
  resourceServer,
} from 'oidc-provider-impersonation-resource-server'
import { z } from 'zod'
import { people } from './accounts.ts'
import { copilotTools } from './demo/copilot-tools.ts'
import { DEMO_ORDERS } from './demo/orders.ts'

export interface OrdersOptions {
  /** The origin of all public URLs. */
  readonly url: string
  /** The origin of the shop, whose pages may call the API. */
  readonly shopUrl: string
  /** The origin at which the provider is reached from here. */
  readonly providerUrl: string
  readonly adapter: AdapterFactory
  /** Records what operators do. */
  readonly onImpersonatedRequest: OnImpersonatedRequest
}

/** A text that looks the same as its characters. An empty note removes the note. */
const NOTE_SHAPE = z.strictObject({
  deliveryNote: z.string().regex(/^[^\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]{0,200}$/u),
})
const EMAIL_SHAPE = z.strictObject({ email: z.email().max(254) })

/** The orders, and the same for a copilot. */
export function apis(options: OrdersOptions): readonly Middleware[] {
  const router = ordersApi(options)
  return [
    allowShop(options.shopUrl),
    // The router itself adds the context members that its type requires.
    router.routes() as Middleware,
    router.allowedMethods() as Middleware,
    copilotTools(options.url, guardOptions(options)),
  ]
}

/**
 * Lets the pages of the shop call the API with a token, and never with cookies. The guard's challenge is
 * shown to them, so that they can tell an end from a missing scope.
 */
function allowShop(shopUrl: string): Middleware {
  const isFromShop = (ctx: Context) => ctx.get('Origin') === shopUrl && /^\/orders\b/.test(ctx.path)
  return cors({
    origin: (ctx) => (isFromShop(ctx) ? shopUrl : ''),
    allowMethods: ['GET', 'PATCH', 'PUT'],
    allowHeaders: ['Authorization', 'Content-Type', 'DPoP'],
    exposeHeaders: ['WWW-Authenticate', 'DPoP-Nonce'],
    maxAge: 600,
  })
}

function ordersApi(options: OrdersOptions): Router<{ caller: Caller }> {
  const { koa: guard } = resourceServer({
    ...guardOptions(options),
    audience: `${options.url}/orders`,
  })
  const router = new Router<{ caller: Caller }>({ prefix: '/orders' })
  const ordersOf = new Map(Object.entries(DEMO_ORDERS))
  const emails = new Map<string, string>()

  router.get('/', guard(requireScope('orders:read')), (ctx) => {
    const { userId, actor } = ctx.state.caller
    const orders = ordersOf.get(userId) ?? []
    const person = people.find(userId)
    const email = emails.get(userId) ?? person?.email
    const customer = person && { name: person.name }
    ctx.body = { userId, actor: actor?.sub, actorName: nameOf(actor), customer, email, orders }
  })

  // Only the customer in person: that is checked before the scope, because no scope would help.
  router.put('/email', guard(denyImpersonation(), requireScope('orders:write')), async (ctx) => {
    const { email } = await readBody(ctx, EMAIL_SHAPE)
    emails.set(ctx.state.caller.userId, email)
    ctx.body = { email }
  })

  router.patch('/:id', guard(requireScope('orders:write')), async (ctx) => {
    const { deliveryNote } = await readBody(ctx, NOTE_SHAPE)
    const { userId, actor, isImpersonated } = ctx.state.caller
    const orders = ordersOf.get(userId) ?? []
    const order = orders.find(({ id }) => id === ctx.params.id)
    if (!order) return ctx.throw(404, 'there is no such order', { error: 'not_found' })
    if (order.status === 'delivered') {
      return ctx.throw(409, 'the order is delivered already', { error: 'conflict' })
    }
    const changedBy = isImpersonated
      ? { userId, actor: actor?.sub ?? null, actorName: nameOf(actor) }
      : { userId }
    const changed = { ...order, deliveryNote: deliveryNote || undefined, changedBy }
    const replaced = orders.map((one) => (one === order ? changed : one))
    ordersOf.set(userId, replaced)
    ctx.body = changed
  })

  return router
}

/** Names the actor, for people. */
const nameOf = (actor: Caller['actor']) => actor && people.find(actor.sub)?.name

/** The options of the guards of both APIs, without their audience. */
function guardOptions(options: OrdersOptions): Omit<ResourceServerOptions, 'audience'> {
  const { url, providerUrl, adapter, onImpersonatedRequest } = options
  return {
    issuer: `${url}/oidc`,
    algorithms: ['ES256'],
    // Both sides use the same clock.
    clockTolerance: 0,
    dPoP: { baseUrl: url, replayStore: usedProofs(adapter) },
    requireStatus: true,
    onImpersonatedRequest,
    jwksUri: `${url}/oidc/jwks`,
    // Keys and status lists have the public address, which may not be reached from here.
    fetch: (address, init) => fetch(providerUrl + address.slice(url.length), init),
  }
}

/** A proof of a key (DPoP) works once, in any copy of the API: they share this storage. */
function usedProofs(adapter: AdapterFactory): ReplayStore {
  const proofs = adapter('OrdersProof')
  return {
    async isFirstUse(id, expiresAt) {
      // `upsert` never resets a consumed record, so only one of all callers consumes it.
      await proofs.upsert(id, {}, Math.max(expiresAt - Math.floor(Date.now() / 1000), 1))
      return proofs.consumeOnce(id)
    },
  }
}

const parse = koaBody({
  jsonLimit: 16_384,
  multipart: false,
  text: false,
  urlencoded: false,
  onError(error, ctx) {
    const status = 'status' in error ? Number(error.status) : 400
    ctx.throw(status, 'the body must be JSON of at most 16 KiB', { cause: error })
  },
})

/** Reads a JSON body, after the guard: who may not come in learns nothing about it. */
async function readBody<T>(ctx: Context, shape: z.ZodType<T>): Promise<T> {
  await parse(ctx, async () => {})
  const { success, data, error } = shape.safeParse(ctx.request.body)
  return success ? data : ctx.throw(400, z.prettifyError(error))
}
