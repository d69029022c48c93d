import type { Middleware } from 'koa'
import { Problem } from './problem.ts'

/** Refuses all other methods before any other check. RFC 9110 §15.5.6. */
export function onlyMethods(...allowed: readonly string[]): Middleware {
  return async (ctx, next) => {
    if (allowed.includes(ctx.method)) return next()
    ctx.set('Allow', allowed.join(', '))
    throw new Problem(405, 'invalid_request', `only ${allowed[0]} is allowed here`)
  }
}
