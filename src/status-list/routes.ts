import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context, Middleware } from 'koa'
import type { Provider } from 'oidc-provider'
import { addToDiscovery } from '../host/discovery.ts'
import {
  CURRENT_END_PATH,
  CURRENT_PATH,
  issuerUri,
  STATUS_LISTS_PATH,
} from '../shared/status-uris.ts'
import type { StatusLists } from './sign.ts'

const compress = promisify(gzip)

const STATUS_LIST = 'application/statuslist+jwt'
const JSON_TYPE = 'application/json'
/** How long a browser may remember the answer to a preflight, in seconds: as the provider's own. */
const PREFLIGHT_MAX_AGE = 3600

/** A body, before it is encoded for the client. */
interface Representation {
  readonly type: string
  readonly text: string
  readonly tag: string
}

/** Names, in both discovery documents, where an impersonation is seen and ends, and
 * where status lists are. */
export function announceStatusLists(provider: Provider, { hasLists = true } = {}): void {
  const { issuer } = provider
  addToDiscovery(provider, {
    ...(hasLists ? { status_list_aggregation_endpoint: issuerUri(issuer, STATUS_LISTS_PATH) } : {}),
    impersonation_current_endpoint: issuerUri(issuer, CURRENT_PATH),
    impersonation_end_endpoint: issuerUri(issuer, CURRENT_END_PATH),
  })
}

/**
 * `GET /status-lists/{list}` and `GET /status-lists` below the issuer, for `provider.use(…)`. Other
 * paths are passed on.
 *
 * @see draft-ietf-oauth-status-list-21, sections 8 and 9
 */
export function statusListRoutes(provider: Provider, statusLists: StatusLists): Middleware {
  const compressed = new WeakMap<Representation, Promise<Buffer>>()
  let aggregation: { readonly uris: string[]; readonly answer: Representation } | undefined
  const lists = new WeakMap<object, Representation>()

  return async (ctx, next) => {
    const [isOurs, list] = parseListPath(ctx)
    if (!isOurs) return next()
    allowEveryOrigin(ctx)
    if (ctx.method === 'OPTIONS') return answerPreflight(ctx)
    if (ctx.method !== 'GET' && ctx.method !== 'HEAD') {
      ctx.set('Allow', 'GET, HEAD, OPTIONS')
      return refuse(ctx, 405, 'invalid_request', 'only GET is allowed here')
    }
    try {
      await (list === undefined ? answerAggregation(ctx) : answerList(ctx, list))
    } catch (error) {
      // Storage trouble is no 404: that would say that the list is gone.
      refuse(ctx, 500, 'server_error', 'oops! something went wrong')
      report(provider, ctx, error)
    }
  }

  async function answerList(ctx: Context, list: string): Promise<void> {
    // "If the Server does not support the additional query parameter, it SHOULD return a status
    // code of 501 (Not Implemented)"
    if (ctx.query.time !== undefined) {
      return refuse(ctx, 501, 'invalid_request', 'a list of another time cannot be had')
    }
    if (!accepts(ctx, STATUS_LIST)) return
    const signed = await statusLists.find(list)
    if (!signed) return refuse(ctx, 404, 'not_found', 'there is no such status list')
    let answer = lists.get(signed)
    if (!answer) {
      answer = { type: STATUS_LIST, text: signed.token, tag: signed.tag }
      lists.set(signed, answer)
    }
    await send(ctx, answer)
  }

  async function answerAggregation(ctx: Context): Promise<void> {
    if (!accepts(ctx, JSON_TYPE)) return
    const uris = await statusLists.uris()
    if (aggregation?.uris !== uris) {
      const text = JSON.stringify({ status_lists: uris })
      const answer = { type: JSON_TYPE, text, tag: hash('sha256', text, 'base64url') }
      aggregation = { uris, answer }
    }
    await send(ctx, aggregation.answer)
  }

  async function send(ctx: Context, answer: Representation): Promise<void> {
    ctx.status = 200
    ctx.set('Content-Type', answer.type)
    ctx.set('Cache-Control', 'public, max-age=1')
    ctx.set('X-Content-Type-Options', 'nosniff')
    // Weak: one tag for the body as it is and for the compressed one.
    ctx.set('ETag', `W/"${answer.tag}"`)
    if (ctx.fresh) {
      ctx.status = 304
      return
    }
    if (ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') {
      ctx.body = Buffer.from(answer.text)
      return
    }
    let body = compressed.get(answer)
    if (!body) {
      body = compress(answer.text)
      compressed.set(answer, body)
    }
    ctx.body = await body
    ctx.set('Content-Encoding', 'gzip')
  }
}

/** Whether the path is one of these routes, and the list that it names. */
function parseListPath({ path }: Context): [isOurs: boolean, list?: string] {
  if (path === STATUS_LISTS_PATH) return [true]
  const list = path.startsWith(`${STATUS_LISTS_PATH}/`)
    ? path.slice(STATUS_LISTS_PATH.length + 1)
    : ''
  return list === '' || list.includes('/') ? [false] : [true, list]
}

/** A host application that has answered for CORS already is left alone, as by the provider. */
function allowEveryOrigin(ctx: Context): void {
  const names = Object.keys(ctx.response.headers)
  if (names.some((name) => name.toLowerCase().startsWith('access-control-'))) return
  ctx.set('Access-Control-Allow-Origin', '*')
  ctx.set('Access-Control-Expose-Headers', 'ETag')
}

function answerPreflight(ctx: Context): void {
  ctx.status = 204
  ctx.set('Allow', 'GET, HEAD, OPTIONS')
  if (ctx.get('Access-Control-Request-Method') === '') return
  ctx.remove('Access-Control-Expose-Headers')
  ctx.set('Access-Control-Allow-Methods', 'GET, HEAD')
  ctx.set('Access-Control-Allow-Headers', '*')
  ctx.set('Access-Control-Max-Age', String(PREFLIGHT_MAX_AGE))
}

/** Answers 406 where the client takes no such body. */
function accepts(ctx: Context, type: string): boolean {
  ctx.vary('Accept')
  ctx.vary('Accept-Encoding')
  if (ctx.accepts(type)) return true
  refuse(ctx, 406, 'invalid_request', `only ${type} can be had here`)
  return false
}

function refuse(ctx: Context, status: number, error: string, description: string): void {
  ctx.status = status
  ctx.set('Cache-Control', 'no-store')
  ctx.body = { error, error_description: description }
}

function report(provider: Provider, ctx: Context, error: unknown): void {
  try {
    // As a route of the provider's own: a listener may look at the provider's part of the context.
    const oidc = Object.assign(new provider.OIDCContext(ctx), { params: {}, route: 'status_list' })
    provider.emit('server_error', Object.assign(ctx, { oidc }), error)
  } catch {
    // A failing listener does not change the answer.
  }
}
