import type { Middleware } from 'koa'
import {
  type Caller,
  type ReplayStore,
  type Requirement,
  resourceServer,
} from '../../src/resource-server/index.ts'
import { Problem } from '../http/problem.ts'

export interface GuardOptions {
  readonly issuer: string
  /** The URL of the issuer's keys. */
  readonly jwksUrl: URL
  readonly audience: string
  /** The origin of the API for clients. Proofs contain URLs below it. */
  readonly baseUrl: string
  /** Stores the used proofs. */
  readonly usedProofs: ReplayStore
}

/**
 * Makes middleware that accepts only access tokens that meet the requirements, and sets the caller.
 */
export type Guard = (...requirements: readonly Requirement[]) => Middleware<{ caller: Caller }>

/**
 * The guard of this package. If the issuer's keys or the used proofs are not available, the answer
 * is 503.
 */
export function ordersGuard(options: GuardOptions): Guard {
  const { issuer, jwksUrl, audience, baseUrl, usedProofs } = options
  const server = resourceServer({
    issuer,
    audience,
    jwksUri: jwksUrl.href,
    algorithms: ['ES256'],
    // Both sides use the same clock.
    clockTolerance: 0,
    dPoP: { baseUrl, replayStore: usedProofs },
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
        const description = 'the access token cannot be checked'
        throw new Problem(503, 'temporarily_unavailable', description, { cause })
      }
      // `next` runs outside the `try`, so that errors of later handlers do not become a 503.
      if (passed) await next()
    }
  }
}
