import type { IncomingMessage } from 'node:http'
import type { ApiResponse } from './answer.ts'
import type { Caller } from './caller.ts'

/**
 * What the guard reads and sets in a Koa context. The type is defined here because Koa's types are
 * a separate package, which an API in another framework does not have.
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
