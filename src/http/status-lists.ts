import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { instance } from '../host/weak-cache.ts'
import { NotFound } from '../shared/errors.ts'
import { sha256 } from '../shared/text.ts'
import type { Step } from './answers.ts'

const compress = promisify(gzip)

/** Compressed bodies by their source, a signed list or the URIs of all lists. */
const compressed = new WeakMap<object, Promise<Buffer>>()

/** `GET {issuer}/status-lists/{list}` */
export const sendStatusList: Step = async (ctx) => {
  // "If the Server does not support the additional query parameter, it SHOULD return a status
  // code of 501 (Not Implemented)"
  if (ctx.query.time !== undefined) {
    throw new errors.InvalidRequest('historical status lists are not supported', 501)
  }
  const type = 'application/statuslist+jwt'
  requireAccepted(ctx, type)
  // A storage failure is no 404, which would mean that the list is gone.
  const signed = await instance(ctx.oidc.provider).statusLists?.find(ctx.params.list)
  if (!signed) throw new NotFound('there is no such status list')
  await send(ctx, type, signed, signed.token, signed.tag)
}

/** `GET {issuer}/status-lists` */
export const sendAggregation: Step = async (ctx) => {
  const type = 'application/json'
  requireAccepted(ctx, type)
  const uris = (await instance(ctx.oidc.provider).statusLists?.uris()) ?? []
  const text = JSON.stringify({ status_lists: uris })
  await send(ctx, type, uris, text, sha256(text))
}

async function send(
  ctx: KoaContextWithOIDC,
  type: string,
  source: object,
  text: string,
  tag: string,
): Promise<void> {
  ctx.status = 200
  ctx.set('Content-Type', type)
  ctx.set('Cache-Control', 'public, max-age=1')
  ctx.set('X-Content-Type-Options', 'nosniff')
  // Weak, because the plain and the compressed body have one tag.
  ctx.set('ETag', `W/"${tag}"`)
  if (ctx.fresh) {
    ctx.status = 304
    return
  }
  if (ctx.acceptsEncodings('gzip', 'identity') !== 'gzip') {
    ctx.body = Buffer.from(text)
    return
  }
  const body = compressed.get(source) ?? compress(text)
  compressed.set(source, body)
  ctx.body = await body
  ctx.set('Content-Encoding', 'gzip')
}

/** @throws errors.InvalidRequest with status 406 if the client takes no such body */
function requireAccepted(ctx: KoaContextWithOIDC, type: string): void {
  ctx.vary('Accept')
  ctx.vary('Accept-Encoding')
  if (!ctx.accepts(type)) throw new errors.InvalidRequest(`only ${type} is available here`, 406)
}
