import Koa, { type Context, type Middleware } from 'koa'
import { koaBody } from 'koa-body'
import { z } from 'zod'

const Problem = z.object({
  status: z.number(),
  error: z.string().default('invalid_request'),
  message: z.string(),
  headers: z.record(z.string(), z.string()).default({}),
  retryAfter: z.string().optional(),
})

/**
 * Answers as JSON what `ctx.throw(status, description, { error })` throws, and what `recordRefusal` of
 * the console throws. Every other error becomes a 500 without details.
 */
export const answerProblems: Middleware = async (ctx, next) => {
  ctx.set('Cache-Control', 'no-store')
  try {
    await next()
  } catch (thrown) {
    const isProblem =
      thrown instanceof Koa.HttpError || (thrown instanceof Error && thrown.name === 'Problem')
    const { status, error, message, headers, retryAfter } = Problem.parse(
      isProblem ? thrown : UNKNOWN_ERROR,
    )
    if (status >= 500) console.error(`${ctx.method} ${ctx.path}:`, thrown)
    if (retryAfter !== undefined) ctx.set('Retry-After', retryAfter)
    ctx.set(headers)
    ctx.status = status
    ctx.body = { error, error_description: message }
  }
}

const UNKNOWN_ERROR = { status: 500, error: 'server_error', message: 'oops! something went wrong' }

/** The answer where no other middleware has one. */
export const notFound: Middleware = (ctx) => {
  ctx.status = 404
  ctx.body = { error: 'not_found', error_description: 'there is nothing here' }
}

/** Refuses all other methods before any other check. RFC 9110 §15.5.6. */
export function onlyMethods(...allowed: readonly string[]): Middleware {
  return async (ctx, next) => {
    if (allowed.includes(ctx.method)) return next()
    ctx.throw(405, `only ${allowed[0]} is allowed here`, { headers: { Allow: allowed.join(', ') } })
  }
}

const parse = koaBody({
  jsonLimit: 16_384,
  multipart: false,
  text: false,
  urlencoded: false,
  onError(error, ctx) {
    const status = 'status' in error ? Number(error.status) : 400
    ctx.throw(status, 'the body must be JSON of at most 16 KiB', { cause: error })
  },
})

/** A JSON object with these members and no others. */
export function bodyShape<S extends z.ZodRawShape>(shape: S) {
  const names = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys'
        ? `the body has a member other than ${names}`
        : 'the body must be a JSON object',
  })
}

/** Reads a JSON body of a known shape, or throws 400, 413 or 415. */
export async function readBody<T>(ctx: Context, shape: z.ZodType<T>): Promise<T> {
  if (!ctx.is('application/json')) ctx.throw(415, 'Content-Type must be application/json')
  await parse(ctx, async () => {})
  const { data, error } = shape.safeParse(ctx.request.body)
  return data ?? ctx.throw(400, error?.issues[0]?.message ?? '')
}

const CONTROL_CHARACTERS = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u

/** A text that looks the same as its characters, and has a form that the rule tells. */
export function plainText(name: string, rule: string, form: RegExp) {
  const message = `${name} is required: ${rule}`
  return z
    .string(message)
    .regex(form, message)
    .refine(
      (text) => !CONTROL_CHARACTERS.test(text),
      `${name} must not contain control characters, nor those that change the direction of writing`,
    )
}
