import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller, Requirement } from './caller.ts'
import { requestJudge } from './judge.ts'
import { metadataAnswer, type ResourceMetadata } from './metadata.ts'
import { type ResourceServerOptions, resolveOptions } from './options.ts'
import { RequestRefused } from './refusal.ts'
import { type ApiRequest, type ApiResponse, presentedBy } from './request.ts'

export type { Actor } from './act.ts'
export {
  type Caller,
  denyImpersonation,
  type Requirement,
  requirePerson,
  requireScope,
} from './caller.ts'
export type { ResourceMetadata, ServedMetadata } from './metadata.ts'
export type { Fetch, FetchInit, MTLSOptions, ResourceServerOptions } from './options.ts'
export { RequestRefused } from './refusal.ts'
export type { ApiRequest, ApiResponse } from './request.ts'
export type { DPoPOptions } from './sender/dpop-options.ts'
export type { GetUrl } from './sender/public-url.ts'
export type { ReplayStore } from './sender/replay-store.ts'
export type { Certificate, GetCertificate } from './sender/sender.ts'
export { StatusUnavailable } from './status/cache.ts'
export type {
  ImpersonationUse,
  OnImpersonatedRequest,
  UseRefusal,
} from './uses/impersonation-use.ts'

declare global {
  // Express reads its Request from here, so that users need no type augmentation of their own.
  namespace Express {
    interface Request {
      /** The caller, set by the guard of a resource server. */
      caller?: Caller
    }
  }
}

/**
 * The members of a Koa context that the guard reads and sets. The type is defined here because
 * Koa's types are a separate package, which an API in another framework does not have.
 */
export interface KoaContext {
  readonly state: { caller: Caller }
  readonly req: IncomingMessage & { readonly originalUrl?: string | undefined }
  readonly res: ApiResponse
  /** The request target before a mount took its path away. */
  readonly originalUrl: string
  status: number
  body: unknown
  /** Sets a header of the response. */
  set(field: string, value: string): void
}

/** Koa middleware. It can be given to a Koa application and to its routers. */
export type KoaMiddleware = (ctx: KoaContext, next: () => Promise<unknown>) => Promise<void>

/** Connect's and Express's middleware. */
export type ConnectMiddleware = (
  request: IncomingMessage & { caller?: Caller },
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

/** The guard of an API. It identifies the caller and the actor. */
export interface ResourceServer {
  /**
   * Judges a request, or its `Authorization` header alone. Access tokens that are bound to a key
   * or a certificate need the request, because the header alone proves neither.
   *
   * If `request.res` is Node's response, as Express and Koa set it, `onImpersonatedRequest` gets
   * its status. Without it the function is called as soon as the request is judged.
   *
   * @throws {@link RequestRefused} with the response to send. {@link StatusUnavailable} (503) if
   * the status list of an impersonated token cannot be fetched. Any other error is a failure of
   * the API itself, for example if the provider's keys cannot be fetched. Do not report it as an
   * invalid token.
   */
  authenticate(
    request: ApiRequest | string | undefined,
    ...requirements: readonly Requirement[]
  ): Promise<Caller>
  /** Koa middleware: leaves the caller in `ctx.state.caller`. */
  koa(...requirements: readonly Requirement[]): KoaMiddleware
  /** Express and Connect middleware: leaves the caller in `request.caller`. */
  connect(...requirements: readonly Requirement[]): ConnectMiddleware
  /** The metadata of this API for clients, RFC 9728; `undefined` without `resourceMetadata`. */
  readonly metadata: ResourceMetadata | undefined
}

/**
 * Guards an API by the JWT access tokens of an oidc-provider (RFC 9068), impersonated or not.
 *
 * @throws TypeError naming the dotted path of the first option that is missing, unknown or wrong
 * @example
 * const api = resourceServer({ issuer: 'https://id.example.com/oidc', audience: 'https://api.example.com' })
 * router.get('/orders', api.koa(requireScope('orders:read')), (ctx) => {
 *   ctx.body = ordersOf(ctx.state.caller.userId)
 * })
 * router.put('/email', api.koa(requireScope('profile:write'), denyImpersonation()), changeEmail)
 */
export function resourceServer(options: ResourceServerOptions): ResourceServer {
  const resolved = resolveOptions(options)
  const { issuer, metadata } = resolved
  const judge = requestJudge(resolved)

  return {
    metadata,

    authenticate: async (request, ...requirements) => judge(presentedBy(request), requirements),

    koa: (...requirements) =>
      async function guard(ctx, next) {
        const target = ctx.req.originalUrl ?? ctx.originalUrl
        const presented = presentedBy(ctx.req, { target, response: ctx.res })
        const answer = metadataAnswer(metadata, ctx.req.method, target)
        if (answer) {
          for (const [name, value] of Object.entries(answer.headers)) ctx.set(name, value)
          ctx.body = answer.body
          return
        }
        try {
          ctx.state.caller = await judge(presented, requirements)
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
        const presented = presentedBy(request, { response })
        const answer = metadataAnswer(metadata, request.method, presented.target)
        if (answer) {
          response.writeHead(200, answer.headers).end(answer.body)
          return
        }
        judge(presented, requirements).then(
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
