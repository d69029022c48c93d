import type { Context } from 'koa'
import { errors } from 'oidc-provider'
import { readJsonBody } from '../shared/json-body.ts'

/** Reads a JSON request body. What cannot be read is errors.InvalidRequest with 400, 413 or 415. */
export function readJson(ctx: Context, maxBytes: number): Promise<unknown> {
  return readJsonBody(
    ctx,
    maxBytes,
    (status, description, cause) => new errors.InvalidRequest(description, status, { cause }),
  )
}

/** Whether the request has a body, where that is optional. */
export function hasBody(ctx: Context): boolean {
  return (
    ctx.get('Content-Type') !== '' ||
    Number(ctx.request.length ?? 0) > 0 ||
    ctx.get('Transfer-Encoding') !== ''
  )
}
