import Router from '@koa/router'
import { expect } from 'chai'
import Koa from 'koa'
import { type Caller, resourceServer } from '../src/index.ts'

const api = resourceServer({ issuer: 'https://id.example.com', audience: 'https://api.example' })

interface State {
  requestId: string
}

// What is promised here is that this file compiles: koa's types are not what the guard is typed by.
describe("the guard's Koa middleware, by the types of koa and @koa/router", () => {
  it('is taken by applications and routers, with a state of their own and without', () => {
    const router = new Router()
    router.get('/orders', api.koa(), (ctx) => {
      ctx.body = ctx.state.caller.userId
    })
    const inferred = new Router<State>()
    inferred.get('/inferred', api.koa(), (ctx) => {
      ctx.body = ctx.state.caller.userId.concat(ctx.state.requestId)
    })
    const app = new Koa<State>()
    app.use(router.routes()).use(inferred.routes())
    // What `use` infers, it would also infer from a context that Koa has not.
    const guard: Koa.Middleware<State & { caller: Caller }> = api.koa()
    app.use(guard).use((ctx) => {
      ctx.body = ctx.state.caller.userId.concat(ctx.state.requestId)
    })

    expect(app.middleware).to.have.lengthOf(4)
  })
})
