import type { Context } from 'koa'
import { errors } from 'oidc-provider'
import { InvalidInput } from '../impersonations/inputs.ts'
import { jsonReader } from '../shared/json-body.ts'

/** Reads a JSON request body. What cannot be read is errors.InvalidRequest with 400, 413 or 415. */
export function bodyReader(maxBytes: number): (ctx: Context) => Promise<unknown> {
  return jsonReader(
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

/** What cannot be understood is the caller's mistake: {@link InvalidInput} is errors.InvalidRequest. */
export async function asRequest<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof InvalidInput) throw new errors.InvalidRequest(error.message)
    throw error
  }
}
