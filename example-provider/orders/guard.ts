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
  /** The URL of the issuer's keys. Its origin is where the issuer is reached for all else, too. */
  readonly jwksUrl: URL
  readonly audience: string
  /** The origin of the API for clients. Proofs contain URLs below it. */
  readonly baseUrl: string
  /** Stores the used proofs. */
  readonly usedProofs: ReplayStore
  /**
   * Whether impersonated tokens are refused that nothing can end.
   * @defaultValue `true`
   */
  readonly requireStatus?: boolean
}

/**
 * Makes middleware that accepts only access tokens that meet the requirements, and sets the caller.
 */
export type Guard = (...requirements: readonly Requirement[]) => Middleware<{ caller: Caller }>

/**
 * The guard of this package. If the issuer's keys, its status lists or the used proofs are not
 * available, the answer is 503.
 */
export function ordersGuard(options: GuardOptions): Guard {
  const { issuer, jwksUrl, audience, baseUrl, usedProofs, requireStatus = true } = options
  const server = resourceServer({
    issuer,
    audience,
    jwksUri: jwksUrl.href,
    algorithms: ['ES256'],
    // Both sides use the same clock.
    clockTolerance: 0,
    dPoP: { baseUrl, replayStore: usedProofs },
    requireStatus,
    // Status lists have the public address, which may need a proxy, or none that is reached here.
    fetch: (url, init) => {
      const isPublic = url.startsWith(`${baseUrl}/`)
      return fetch(isPublic ? jwksUrl.origin + url.slice(baseUrl.length) : url, init)
    },
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
