import type { IncomingMessage, ServerResponse } from 'node:http'
import { errors as jose, jwtVerify } from 'jose'
import type { Middleware } from 'koa'
import { SIGNING_ALGORITHMS } from '../jwt-access-token.ts'
import { type Caller, callerFrom, type Requirement } from './caller.ts'
import { RequestRefused } from './errors.ts'
import { providerKeys } from './keys.ts'

export type { ActClaim } from '../claims-hook.ts'
export { type Caller, denyImpersonation, type Requirement, requireScope } from './caller.ts'
export { RequestRefused } from './errors.ts'

/** What an API must know to judge access tokens. */
export interface ResourceServerOptions {
  /** The provider's Issuer Identifier. */
  readonly issuer: string
  /** The API's own audience: its resource indicator, unless the provider says otherwise. */
  readonly audience: string
  /**
   * Where the provider publishes its keys.
   * @defaultValue what its discovery document says
   */
  readonly jwksUri?: string | undefined
  /**
   * The signature algorithms that are accepted.
   * @defaultValue every asymmetric one that oidc-provider knows
   */
  readonly algorithms?: readonly string[] | undefined
  /**
   * How far the clocks of API and provider may differ, in seconds.
   * @defaultValue `5`
   */
  readonly clockTolerance?: number | undefined
}

declare global {
  // Express reads its Request from here, so that its users need no augmentation of their own.
  namespace Express {
    interface Request {
      /** Who calls, where the guard of a resource server let them through. */
      caller?: Caller
    }
  }
}

/** Connect's and Express's middleware. */
export type ConnectMiddleware = (
  request: IncomingMessage & { caller?: Caller },
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

/** The guard of an API: knows who calls, and who acts for them. */
export interface ResourceServer {
  /**
   * Judges the `Authorization` header of a request.
   *
   * @throws {@link RequestRefused}: what to answer. Anything else is trouble of one's own, such as
   * a provider whose keys cannot be had, and must not be told as an invalid token.
   */
  authenticate(
    authorization: string | undefined,
    ...requirements: readonly Requirement[]
  ): Promise<Caller>
  /** Koa middleware: leaves the caller in `ctx.state.caller`. */
  koa(...requirements: readonly Requirement[]): Middleware<{ caller: Caller }>
  /** Express and Connect middleware: leaves the caller in `request.caller`. */
  connect(...requirements: readonly Requirement[]): ConnectMiddleware
}

/**
 * Guards an API by the JWT access tokens of an oidc-provider (RFC 9068), impersonated or not.
 *
 * @example
 * const api = resourceServer({ issuer: 'https://id.example.com/oidc', audience: 'https://api.example.com' })
 * router.get('/orders', api.koa(requireScope('orders:read')), (ctx) => {
 *   ctx.body = ordersOf(ctx.state.caller.subject)
 * })
 * router.put('/email', api.koa(requireScope('profile:write'), denyImpersonation()), changeEmail)
 */
export function resourceServer({
  issuer,
  audience,
  jwksUri,
  algorithms = SIGNING_ALGORITHMS,
  clockTolerance = 5,
}: ResourceServerOptions): ResourceServer {
  const keys = providerKeys(issuer, jwksUri)

  async function verify(token: string): Promise<Caller> {
    try {
      // RFC 9068 §4.
      const { payload } = await jwtVerify(token, keys, {
        issuer,
        audience,
        typ: 'at+jwt',
        algorithms: [...algorithms],
        clockTolerance,
        requiredClaims: ['exp', 'iat', 'jti', 'sub', 'client_id'],
      })
      return callerFrom(payload)
    } catch (cause) {
      // Keys that did not come, or not in time, say nothing about the token.
      const ownTrouble = cause instanceof jose.JWKSTimeout || cause instanceof jose.JWKSInvalid
      if (cause instanceof jose.JOSEError && !ownTrouble && cause.code !== 'ERR_JOSE_GENERIC') {
        throw new RequestRefused(401, {
          error: 'invalid_token',
          description: 'access token is not valid here',
          cause,
        })
      }
      throw cause
    }
  }

  const authenticate: ResourceServer['authenticate'] = async (authorization, ...requirements) => {
    const caller = await verify(bearerToken(authorization))
    for (const requirement of requirements) requirement(caller)
    return caller
  }

  return {
    authenticate,

    koa: (...requirements) =>
      async function guard(ctx, next) {
        try {
          ctx.state.caller = await authenticate(ctx.get('Authorization'), ...requirements)
        } catch (error) {
          if (!(error instanceof RequestRefused)) throw error
          ctx.status = error.status
          ctx.set('WWW-Authenticate', error.challenge(issuer))
          ctx.set('Cache-Control', 'no-store')
          ctx.body = error.toJSON()
          return
        }
        await next()
      },

    connect: (...requirements) =>
      function guard(request, response, next) {
        authenticate(request.headers.authorization, ...requirements).then(
          (caller) => {
            request.caller = caller
            next()
          },
          (error: unknown) => {
            if (!(error instanceof RequestRefused)) return next(error)
            response.writeHead(error.status, {
              'WWW-Authenticate': error.challenge(issuer),
              'Cache-Control': 'no-store',
              'Content-Type': 'application/json; charset=utf-8',
            })
            response.end(JSON.stringify(error))
          },
        )
      },
  }
}

/** RFC 6750 §2.1. */
function bearerToken(authorization: string | undefined): string {
  const none = { description: 'no access token provided' }
  if (!authorization || !/^bearer(?: |$)/i.test(authorization)) throw new RequestRefused(401, none)
  const token = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1]
  if (token !== undefined) return token
  throw new RequestRefused(401, {
    error: 'invalid_token',
    description: 'the Authorization header is malformed',
  })
}
