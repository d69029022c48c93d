import type { Context } from 'koa'
import { koaBody } from 'koa-body'
import { invalid, Problem } from './problem.ts'
import { isPlain, NO_CONTROLS } from './text.ts'

/** The largest body of a form, in bytes. */
const MAX_BODY = 16_384

/** The members of a JSON object. */
export type Body = Readonly<Record<string, unknown>>

/**
 * Reads a JSON body: an object with these members and no others.
 *
 * @throws Problem 400, 413 or 415
 */
export async function readBody(ctx: Context, ...members: readonly string[]): Promise<Body> {
  const value = await readJson(ctx, MAX_BODY)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('the body must be a JSON object')
  }
  const body = new Map(Object.entries(value))
  const unknown = [...body.keys()].find((name) => !members.includes(name))
  if (unknown !== undefined) {
    const known = members.join(', ') || 'none'
    throw invalid(`the body has a member that is not known here; known are: ${known}`)
  }
  return Object.fromEntries(body)
}

/**
 * Reads a JSON body of any shape.
 *
 * @param jsonLimit the largest one, in bytes
 * @throws Problem 400, 413 or 415
 */
export async function readJson(ctx: Context, jsonLimit: number): Promise<unknown> {
  // A compressed one could be a bomb.
  const coding = ctx.get('Content-Encoding').trim().toLowerCase()
  if (coding !== '' && coding !== 'identity') {
    ctx.set('Accept-Encoding', 'identity')
    throw new Problem(415, 'invalid_request', 'Content-Encoding is not supported')
  }
  if (ctx.request.type.trim().toLowerCase() !== 'application/json') {
    throw new Problem(415, 'invalid_request', 'Content-Type must be application/json')
  }
  // Some frameworks read the body before any middleware runs. Their limits apply then.
  if (!ctx.req.readable) return ctx.req.body ?? ctx.request.body
  const parse = koaBody({
    json: true,
    jsonLimit,
    jsonStrict: true,
    multipart: false,
    text: false,
    urlencoded: false,
  })
  try {
    await parse(ctx, async () => {})
  } catch (cause) {
    const status = cause instanceof Error && 'status' in cause ? cause.status : undefined
    if (status === 400) throw invalid('the body is not valid JSON')
    if (status === 413) throw new Problem(413, 'invalid_request', 'the body is too large')
    if (status === 415) throw new Problem(415, 'invalid_request', 'the charset is not supported')
    throw cause
  }
  return ctx.request.body
}

/**
 * A text of a body that looks the same as its characters, without space around it.
 *
 * @throws Problem 400
 */
export function parseTextMember(body: Body, name: string, most: number): string {
  const text = parseOptionalText(body, name, most)
  if (text === undefined) throw invalid(`${name} is required: a text of 1 to ${most} characters`)
  return text
}

/** As {@link parseTextMember}; `undefined` where it is absent or empty. */
export function parseOptionalText(body: Body, name: string, most: number): string | undefined {
  const value = body[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw invalid(`${name} must be a text`)
  const text = value.trim()
  if ([...text].length > most) throw invalid(`${name} must not exceed ${most} characters`)
  if (!isPlain(text)) throw invalid(`${name} ${NO_CONTROLS}`)
  return text || undefined
}
