import type { IncomingMessage } from 'node:http'
import type { Context } from 'koa'
import { invalid, Problem } from '../http/problem.ts'

/** The largest body of a page, in bytes. */
export const MAX_BYTES = 16_384

/** The pages put names between these, and who copies a name from a page copies them, too. */
const ISOLATES = /[\u2066-\u2069]/g

/** The fields of a form, each once. */
export type FormValues = Readonly<Record<string, string>>

/**
 * Reads a form that a browser sends. The line breaks of a text become spaces: the audit keeps one line.
 *
 * @throws Problem 400, 413 or 415
 */
export async function readFormBody(ctx: Context): Promise<FormValues> {
  if (!ctx.is('application/x-www-form-urlencoded')) {
    throw new Problem(
      415,
      'invalid_request',
      'Content-Type must be application/x-www-form-urlencoded',
    )
  }
  // Express may have read the form before: `express.urlencoded()`.
  const given = ctx.req.readable ? await readFields(ctx.req) : Object.entries(readBefore(ctx))
  const values = new Map<string, string>()
  for (const [name, value] of given) {
    if (typeof value !== 'string' || values.has(name)) throw invalid('a field is repeated')
    values.set(name, value.replaceAll(ISOLATES, '').replaceAll(/\s+/g, ' ').trim())
  }
  return Object.fromEntries(values)
}

/** The fields of the page itself: what it is about, and from where it was sent. */
const OWN_FIELDS = ['form', 'from', 'once', 'reader']

/** The fields that a person chose or typed. An empty one is absent. */
export function fieldsOf(values: FormValues): FormValues {
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => value !== '' && !OWN_FIELDS.includes(name)),
  )
}

async function readFields(request: IncomingMessage): Promise<Iterable<[string, unknown]>> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    length += part.length
    if (length > MAX_BYTES) break
    parts.push(part)
  }
  if (length > MAX_BYTES) {
    // The answer needs the connection, and the client may still send.
    request.resume()
    throw new Problem(413, 'invalid_request', `the form must not exceed ${MAX_BYTES} bytes`)
  }
  return new URLSearchParams(Buffer.concat(parts).toString())
}

function readBefore(ctx: Context): object {
  const body: unknown = Object(ctx.req).body ?? Object(ctx.request).body
  if (typeof body === 'object' && body !== null) return body
  throw invalid('the form was read before, and is not there')
}
