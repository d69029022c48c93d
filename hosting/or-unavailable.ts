import type { Middleware } from 'koa'
import { Problem } from './http/problem.ts'

/**
 * Answers 503 if a guard fails: it cannot have the keys, a status list or the used proofs. What
 * comes after the guard is outside, so that errors of a route do not become a 503.
 */
export function orUnavailable<State>(guard: Middleware<State>): Middleware<State> {
  return async (ctx, next) => {
    let passed = false
    const pass = async () => {
      passed = true
    }
    try {
      await guard(ctx, pass)
    } catch (cause) {
      const description = 'the access token cannot be checked'
      throw new Problem(503, 'temporarily_unavailable', description, { cause })
    }
    if (passed) await next()
  }
}
