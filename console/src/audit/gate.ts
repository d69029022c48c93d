import type { Context, Middleware } from 'koa'
import { TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import { peekForm } from '../http/peek.ts'
import { tell } from './log-line.ts'
import type { Recorder } from './recorder.ts'

/** How long a request waits for room, in milliseconds: less than the timeout of the backend. */
const WAIT_TIMEOUT_MS = 2000
/** Seconds after which the client may try again. */
const RETRY_AFTER = '5'

/** The paths whose requests make entries, as the application gets them: `/oidc/token`. */
export interface GatedPaths {
  /** Where the management API issues subject tokens. */
  readonly issue: string
  /** The token endpoint of the provider. */
  readonly token: string
  /** Where a token ends its own impersonation. */
  readonly end: string
  /** APIs: a request there, or below, makes an entry if its token is an impersonated one. */
  readonly apis: readonly string[]
}

/**
 * I13: while too many entries wait for the store, a request that would make another entry waits
 * too. If there is still no room, the answer is 503, and nothing is issued or redeemed. This
 * middleware runs before the provider, because an event comes after the answer and cannot delay it.
 * An end waits, and goes on all the same: what runs must be stoppable, and its event waits in memory.
 */
export function auditGate(
  { room }: Pick<Recorder, 'room'>,
  { issue, token, end, apis }: GatedPaths,
  patience = WAIT_TIMEOUT_MS,
): Middleware {
  const paths = { issue: plain(issue), token: plain(token), end: plain(end), apis: apis.map(plain) }
  let isTold = false

  return async (ctx, next) => {
    if (room.isFree()) {
      isTold = false
      return next()
    }
    if (!(await makesAnEntry(ctx, paths)) || (await room.wait(patience))) return next()
    if (plain(ctx.path) === paths.end) return next()
    if (!isTold)
      tell(
        'too many entries wait: issue, exchange and requests of operators are answered 503 for now',
      )
    isTold = true
    ctx.set({ 'Cache-Control': 'no-store', 'Retry-After': RETRY_AFTER })
    ctx.status = 503
    ctx.body = {
      error: 'temporarily_unavailable',
      error_description: 'nothing was done: try again later',
    }
  }
}

async function makesAnEntry(
  ctx: Context,
  { issue, token, end, apis }: GatedPaths,
): Promise<boolean> {
  const path = plain(ctx.path)
  if (apis.some((api) => path === api || path.startsWith(`${api}/`))) return isImpersonated(ctx)
  if (ctx.method !== 'POST') return false
  if (path === issue || path === end) return true
  if (path !== token) return false
  const form = await peekForm(ctx.req, ctx.request.charset)
  // A form that cannot be read may be an exchange.
  return form === undefined || form.getAll('grant_type').includes(TOKEN_EXCHANGE_GRANT_TYPE)
}

/** As the routers match: without regard to case and to a slash at the end. */
function plain(path: string): string {
  return path.toLowerCase().replace(/\/+$/, '')
}

/** By the word of the token, which the guard has not checked yet: a forged one only waits. */
function isImpersonated(ctx: Context): boolean {
  try {
    const [, payload = ''] = ctx.get('Authorization').split('.')
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    if (typeof claims !== 'object' || claims === null || !('jti' in claims)) return false
    return typeof claims.jti === 'string' && claims.jti.startsWith('impersonation:')
  } catch {
    return false
  }
}
