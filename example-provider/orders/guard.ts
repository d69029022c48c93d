import type { Middleware } from 'koa'
import { type Caller, type Requirement, resourceServer } from '../../src/resource-server/index.ts'
import { Problem } from '../http/problem.ts'

export interface GuardOptions {
  readonly issuer: string
  /** Where the issuer publishes its keys. */
  readonly jwksUrl: URL
  readonly audience: string
}

/** Middleware that lets pass whose access token meets the requirements, and tells who it is. */
export type Guard = (...requirements: readonly Requirement[]) => Middleware<{ caller: Caller }>

/** The package's own guard; when the issuer's keys cannot be had, that is a 503. */
export function ordersGuard({ issuer, jwksUrl, audience }: GuardOptions): Guard {
  const server = resourceServer({
    issuer,
    audience,
    jwksUri: jwksUrl.href,
    algorithms: ['ES256'],
    // Both run by the same clock.
    clockTolerance: 0,
  })

  return (...requirements) => {
    const authenticate = server.koa(...requirements)
    return async (ctx, next) => {
      let passed = false
      try {
        await authenticate(ctx, async () => {
          passed = true
        })
      } catch (cause) {
        const description = "the issuer's keys cannot be had"
        throw new Problem(503, 'temporarily_unavailable', description, { cause })
      }
      // Out here, what goes wrong behind the guard is not taken for its own trouble.
      if (passed) await next()
    }
  }
}
