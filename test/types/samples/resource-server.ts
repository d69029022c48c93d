import type { IncomingMessage, ServerResponse } from 'node:http'
import Router from '@koa/router'
import Koa from 'koa'
import {
  type Actor,
  type Caller,
  denyImpersonation,
  type OnImpersonatedRequest,
  type ReplayStore,
  RequestRefused,
  type Requirement,
  requireScope,
  resourceServer,
  type StatusUnavailable,
  type UseRefusal,
} from 'oidc-provider-impersonation-resource-server'
import { holds, type Same } from './expect.js'

const replayStore: ReplayStore = { isFirstUse: async (_id: string, _expiresAt: number) => true }
const listener: OnImpersonatedRequest = async (use) => {
  holds<Same<typeof use.refused, UseRefusal | undefined>>()
  holds<Same<typeof use.actor, Actor | undefined>>()
  holds<Same<typeof use.status, number | undefined>>()
  // @ts-expect-error it is a record of what happened
  use.userId = 'mallory'
}
const api = resourceServer({
  issuer: 'https://id.example.com',
  audience: 'https://api.example.com',
  dPoP: { baseUrl: 'https://api.example.com', replayStore },
  onImpersonatedRequest: listener,
})
holds<Same<StatusUnavailable['status'], 503>>()
// @ts-expect-error the audience has to be said
resourceServer({ issuer: 'https://id.example.com' })

const own: Requirement = (caller) => {
  if (caller.scopes.size === 0) throw new RequestRefused(403, { description: 'no scope' })
}
// @ts-expect-error a guard refuses with 401 or 403
new RequestRefused(400, { description: 'bad request' })

interface State {
  requestId: string
}
const guard = api.koa(requireScope('orders:read'), denyImpersonation(), own)
const router = new Router<State>().get('/orders', guard, ({ state }) => {
  holds<Same<typeof state.caller, Caller>>()
  holds<Same<typeof state.requestId, string>>()
})
const app = new Koa<State & { caller: Caller }>()
app.use(router.routes()).use(guard)
app.use((ctx) => holds<Same<typeof ctx.state.caller, Caller>>())

export async function read(request: IncomingMessage, response: ServerResponse) {
  const caller = await api.authenticate(Object.assign(request, { res: response }))
  await api.authenticate('Bearer token', own)
  holds<Same<typeof caller, Caller>>()
  holds<Same<typeof caller.actor, Actor | undefined>>()
  holds<Same<typeof caller.isImpersonated, boolean>>()
  // @ts-expect-error who calls is settled by the token
  caller.userId = 'mallory'
  // @ts-expect-error scopes are read alone
  caller.scopes.add('admin')
  // @ts-expect-error there may be no actor
  caller.actor.sub
}
