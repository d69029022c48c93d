import type { Context, Middleware } from 'koa'
import { TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import { peekForm } from '../http/peek.ts'
import { tell } from './log-line.ts'
import type { Recorder } from './recorder.ts'

/** How long a request waits for room, in milliseconds: less than the timeout of the backend. */
const WAIT_TIMEOUT_MS = 2000
/** Seconds after which the client may try again. */
const RETRY_AFTER = '5'

/** The paths whose requests make entries. */
export interface GatedPaths {
  readonly issue: string
  readonly token: string
  /** Where a token ends its own impersonation. */
  readonly end: string
}

/**
 * I13: while too many entries wait for the store, a request that would make another entry waits
 * too. If there is still no room, the answer is 503, and nothing is issued or redeemed. This
 * middleware runs before the provider, because an event comes after the answer and cannot delay it.
 * An end waits, and goes on all the same: what runs must be stoppable, and its event waits in memory.
 */
export function auditGate(
  { room }: Pick<Recorder, 'room'>,
  paths: GatedPaths,
  patience = WAIT_TIMEOUT_MS,
): Middleware {
  let isTold = false

  return async (ctx, next) => {
    if (room.isFree()) {
      isTold = false
      return next()
    }
    if (!(await makesAnEntry(ctx, paths)) || (await room.wait(patience))) return next()
    if (pathOf(ctx) === paths.end) return next()
    if (!isTold) tell('too many entries wait: issue and exchange are answered 503 for now')
    isTold = true
    ctx.set({ 'Cache-Control': 'no-store', 'Retry-After': RETRY_AFTER })
    ctx.status = 503
    ctx.body = {
      error: 'temporarily_unavailable',
      error_description: 'nothing was issued or redeemed: try again later',
    }
  }
}

async function makesAnEntry(ctx: Context, { issue, token, end }: GatedPaths): Promise<boolean> {
  if (ctx.method !== 'POST') return false
  const path = pathOf(ctx)
  if (path === issue || path === end) return true
  if (path !== token) return false
  const form = await peekForm(ctx.req, ctx.request.charset)
  // A form that cannot be read may be an exchange.
  return form === undefined || form.getAll('grant_type').includes(TOKEN_EXCHANGE_GRANT_TYPE)
}

/** As the routers match: without regard to case and to a slash at the end. */
function pathOf(ctx: Context): string {
  return ctx.path.toLowerCase().replace(/\/+$/, '')
}
