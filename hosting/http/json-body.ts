import type { Context } from 'koa'
import { koaBody } from 'koa-body'
import { Problem } from './problem.ts'

const parse = koaBody({
  json: true,
  jsonLimit: 16_384,
  jsonStrict: true,
  multipart: false,
  text: false,
  urlencoded: false,
})

/**
 * Reads a JSON body.
 *
 * @throws Problem 400, 413 or 415.
 */
export async function readJson(ctx: Context): Promise<unknown> {
  if (ctx.request.type.trim().toLowerCase() !== 'application/json') {
    throw new Problem(415, 'invalid_request', 'Content-Type must be application/json')
  }
  try {
    await parse(ctx, async () => {})
  } catch (cause) {
    const status = cause instanceof Error && 'status' in cause ? cause.status : undefined
    if (status === 400) throw new Problem(400, 'invalid_request', 'the body is not valid JSON')
    if (status === 413) throw new Problem(413, 'invalid_request', 'the body is too large')
    if (status === 415) throw new Problem(415, 'invalid_request', 'the charset is not supported')
    throw cause
  }
  return ctx.request.body
}

/** What a body must be: the part of a Zod schema that is used. */
export interface Schema<T> {
  safeParse(value: unknown): {
    readonly data?: T | undefined
    readonly error?: { readonly issues: readonly { readonly message: string }[] } | undefined
  }
}

/**
 * Reads a JSON body of a known shape.
 *
 * @throws Problem 400 with the message of the first issue, 413 or 415.
 */
export async function readBody<T>(ctx: Context, schema: Schema<T>): Promise<T> {
  const { data, error } = schema.safeParse(await readJson(ctx))
  if (data !== undefined) return data
  throw new Problem(400, 'invalid_request', error?.issues[0]?.message ?? 'the body is not valid')
}
