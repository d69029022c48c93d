import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Context } from 'koa'
import { errors, type Provider } from 'oidc-provider'
import { instance } from '../host/weak-cache.ts'
import { NotFound } from '../shared/errors.ts'

const compress = promisify(gzip)

const STATUS_LIST = 'application/statuslist+jwt'
const JSON_TYPE = 'application/json'

/** A response body. */
interface Representation {
  readonly type: string
  readonly text: string
  readonly tag: string
  /** Set once a client accepted it. */
  compressed?: Promise<Buffer>
}

/** Bodies by their source, a signed list or the URIs of all lists. */
const representations = new WeakMap<object, Representation>()

/** `GET {issuer}/status-lists/{list}` */
export async function sendStatusList(provider: Provider, ctx: Context): Promise<void> {
  // "If the Server does not support the additional query parameter, it SHOULD return a status
  // code of 501 (Not Implemented)"
  if (ctx.query.time !== undefined) {
    throw new errors.InvalidRequest('historical status lists are not supported', 501)
  }
  requireAccepted(ctx, STATUS_LIST)
  // A storage failure is no 404, which would mean that the list is gone.
  const signed = await instance(provider).statusLists?.find(Reflect.get(ctx, 'params').list)
  if (!signed) throw new NotFound('there is no such status list')
  const { token: text, tag } = signed
  const answer = representationOf(signed, () => ({ type: STATUS_LIST, text, tag }))
  await send(ctx, answer)
}

/** `GET {issuer}/status-lists` */
export async function sendAggregation(provider: Provider, ctx: Context): Promise<void> {
  requireAccepted(ctx, JSON_TYPE)
  const uris = (await instance(provider).statusLists?.uris()) ?? []
  const answer = representationOf(uris, () => {
    const text = JSON.stringify({ status_lists: uris })
    return { type: JSON_TYPE, text, tag: hash('sha256', text, 'base64url') }
  })
  await send(ctx, answer)
}

function representationOf(source: object, make: () => Representation): Representation {
  const representation = representations.get(source) ?? make()
  representations.set(source, representation)
  return representation
}

async function send(ctx: Context, answer: Representation): Promise<void> {
  ctx.status = 200
  ctx.set('Content-Type', answer.type)
  ctx.set('Cache-Control', 'public, max-age=1')
  ctx.set('X-Content-Type-Options', 'nosniff')
  // Weak, because the plain and the compressed body have one tag.
  ctx.set('ETag', `W/"${answer.tag}"`)
  if (ctx.fresh) {
    ctx.status = 304
    return
  }
  if (ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') {
    ctx.body = Buffer.from(answer.text)
    return
  }
  answer.compressed ??= compress(answer.text)
  ctx.body = await answer.compressed
  ctx.set('Content-Encoding', 'gzip')
}

/** @throws errors.InvalidRequest with status 406 if the client takes no such body */
function requireAccepted(ctx: Context, type: string): void {
  ctx.vary('Accept')
  ctx.vary('Accept-Encoding')
  if (!ctx.accepts(type)) throw new errors.InvalidRequest(`only ${type} can be had here`, 406)
}
