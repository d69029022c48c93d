import type { Context, Middleware } from 'koa'
import { TOKEN_EXCHANGE_GRANT_TYPE } from 'oidc-provider-impersonation'
import { endsWithin } from 'oidc-provider-impersonation/siblings'
import { peekForm } from '../../http/peek.ts'
import { log } from '../log-line.ts'
import type { ShowsImpersonation } from './impersonated-token.ts'
import type { Recorder } from './recorder.ts'

/** Seconds after which the client may try again. */
const RETRY_AFTER = '5'

/** The paths whose requests make entries, as the application gets them: `/oidc/token`. */
export interface BackPressurePaths {
  /** The token endpoint of the provider. */
  readonly token: string
  /** APIs: a request there, or below, makes an entry if its token is an impersonated one. */
  readonly apis: readonly string[]
}

/**
 * Nothing acts before it is recorded (I13): while the store cannot take entries, a request that would make
 * another one waits too. If there is still no capacity, the answer is 503, and nothing is issued or redeemed:
 * what would be, could not be recorded and would be ended. It runs before the provider. An end never waits:
 * what runs must be stoppable.
 *
 * A request of an operator to an API waits until what was told before is stored. What it does itself
 * is told after its answer.
 *
 * @param timeoutMs how long a request waits, in milliseconds: less than the timeout of the backend
 */
export function backPressure(
  { capacity, settled, isIdle }: Pick<Recorder, 'isIdle' | 'capacity' | 'settled'>,
  { token, apis }: BackPressurePaths,
  timeoutMs: number,
  showsImpersonation: ShowsImpersonation,
): Middleware {
  const paths = { token: plain(token), apis: apis.map(plain) }
  let isLogged = false

  async function mayGoOn(isApi: boolean): Promise<boolean> {
    const since = performance.now()
    if (!(await capacity.wait(timeoutMs))) return false
    return !isApi || endsWithin(timeoutMs - (performance.now() - since), settled())
  }

  return async (ctx, next) => {
    const isApi = isBelow(plain(ctx.path), paths.apis)
    if (capacity.isFree()) isLogged = false
    // Where nothing waits, no token is looked up.
    if (capacity.isFree() && (!isApi || isIdle())) return next()
    const isConcerned = isApi
      ? await showsImpersonation(ctx.get('Authorization'))
      : await acts(ctx, paths)
    if (!isConcerned || (await mayGoOn(isApi))) return next()
    if (!isLogged)
      log(
        'entries wait for the storage: issue, exchange and requests of operators are answered 503 for now',
      )
    isLogged = true
    ctx.set({ 'Cache-Control': 'no-store', 'Retry-After': RETRY_AFTER })
    ctx.status = 503
    ctx.body = {
      error: 'temporarily_unavailable',
      error_description: 'nothing was done: try again later',
    }
  }
}

/** Whether the request exchanges. An issue waits in the plugin, by `ready` of `recordFirst`. */
async function acts(ctx: Context, { token }: BackPressurePaths): Promise<boolean> {
  const path = plain(ctx.path)
  if (ctx.method !== 'POST') return false
  if (path !== token) return false
  const form = await peekForm(ctx.req, ctx.request.charset)
  // A form that cannot be read may be an exchange.
  return form === undefined || form.getAll('grant_type').includes(TOKEN_EXCHANGE_GRANT_TYPE)
}

function isBelow(path: string, apis: readonly string[]): boolean {
  return apis.some((api) => path === api || path.startsWith(`${api}/`))
}

/** As the routers match: without regard to case and to a slash at the end. */
function plain(path: string): string {
  return path.toLowerCase().replace(/\/+$/, '')
}
