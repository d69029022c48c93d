import { NO_CONTROLS } from 'oidc-provider-impersonation-verify/format'
import type { Problem } from '../http/problem.ts'
import { type At, text } from '../kit/at.ts'
import { timeText } from '../kit/time.tsx'

/** A problem in the words of its reader: by its code, not by the words of the server. */
export function problemText(
  at: At,
  { error, message, retryAfter = 0, statusCode }: Problem,
): string {
  const { permits, web } = at.words
  const { codes, trouble, unexpected } = web.problems
  const sentence = new Map(Object.entries({ ...codes, ...permits.problems })).get(error)
  if (error === 'invalid_request' && message.endsWith(NO_CONTROLS)) return web.textWrong
  if (statusCode === 429 && error === 'temporarily_unavailable') return codes.too_many_requests
  if (sentence !== undefined) {
    return text(at, sentence, { time: timeText(at, at.now + retryAfter * 1000) })
  }
  if (statusCode >= 500) return trouble
  if (statusCode === 404) return codes.not_found
  return statusCode === 403 ? codes.access_denied : unexpected
}

/** The field that a problem names: *note is required*. */
export function wrongField(
  { error, message }: Problem,
  values: Readonly<Record<string, string>>,
): string | undefined {
  if (error !== 'invalid_request') return undefined
  return Object.keys(values).find((name) => message.startsWith(`${name} `))
}
