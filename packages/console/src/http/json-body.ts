import type { Context } from 'koa'
import { readJsonBody } from 'oidc-provider-impersonation/siblings'
import { isPlain, NO_CONTROLS, saysSomething } from 'oidc-provider-impersonation-verify/format'
import { invalid, Problem } from './problem.ts'

/** The largest body of a form, in bytes. */
const MAX_BODY = 16_384

const readForm = bodyReader(MAX_BODY)

/** The members of a JSON object. */
export type Body = Readonly<Record<string, unknown>>

/**
 * Reads a JSON body: an object with these members and no others.
 *
 * @throws Problem 400, 413 or 415
 */
export async function readBody(ctx: Context, ...members: readonly string[]): Promise<Body> {
  const value = await readForm(ctx)
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

/** @throws Problem 400, 413 or 415 where the body cannot be read */
export function bodyReader(maxBytes: number): (ctx: Context) => Promise<unknown> {
  return (ctx) => {
    // RFC 9110 §15.5.16: what "would have been accepted in the request".
    if (ctx.get('Content-Encoding') !== '') ctx.set('Accept-Encoding', 'identity')
    return readJsonBody(
      ctx,
      maxBytes,
      (status, description, cause) =>
        new Problem(status, 'invalid_request', description, { cause }),
    )
  }
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

/** As {@link parseTextMember}; `undefined` where it is absent, or there is nothing to read in it. */
export function parseOptionalText(body: Body, name: string, most: number): string | undefined {
  const value = body[name]
  if (value === undefined) return undefined
  if (typeof value !== 'string') throw invalid(`${name} must be a text`)
  const text = value.trim()
  if ([...text].length > most) throw invalid(`${name} must not exceed ${most} characters`)
  if (!isPlain(text)) throw invalid(`${name} ${NO_CONTROLS}`)
  return saysSomething(text) ? text : undefined
}
