import type { Context } from 'koa'
import { readJsonBody } from 'oidc-provider-impersonation/siblings'
import {
  isPlain,
  MAX_NOTE_LENGTH,
  NO_CONTROLS,
  saysSomething,
} from 'oidc-provider-impersonation-verify/format'
import * as v from 'valibot'
import { Problem } from './problem.ts'

/** @throws Problem 400, 413 or 415 if the body cannot be read */
export function readJson(ctx: Context, maxBytes: number): Promise<unknown> {
  // RFC 9110 §15.5.16: what "would have been accepted in the request".
  if (ctx.get('Content-Encoding') !== '') ctx.set('Accept-Encoding', 'identity')
  return readJsonBody(
    ctx,
    maxBytes,
    (status, description, cause) => new Problem(status, 'invalid_request', description, { cause }),
  )
}

/** A text of a body that looks the same as its characters, without space around it. */
export function writtenText(most: number) {
  const message = `must be a text of 1 to ${most} characters`
  return v.pipe(
    v.string(message),
    v.trim(),
    v.check((value) => [...value].length <= most, message),
    v.check(isPlain, NO_CONTROLS),
    v.check(saysSomething, message),
  )
}

/** As {@link writtenText}, and `undefined` if it is absent, or there is nothing to read in it. */
export function optionalText(most: number) {
  return v.optional(
    v.pipe(
      v.string(`must be a text of at most ${most} characters`),
      v.transform((value) => (saysSomething(value) ? value : undefined)),
      v.optional(writtenText(most)),
    ),
  )
}

/** A person's note on what they do, or decide. */
export const optionalNote = optionalText(MAX_NOTE_LENGTH)
