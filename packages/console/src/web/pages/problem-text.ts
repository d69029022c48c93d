import { NO_CONTROLS } from 'oidc-provider-impersonation-verify/format'
import type { Problem } from '../http/problem.ts'
import type { Words } from '../words/words.ts'

/** A problem in the words of its reader: by its code, not by the words of the server. */
export function problemText({ web }: Words, { error, message, statusCode }: Problem): string {
  const { codes, trouble, unexpected } = web.problems
  const known: Readonly<Record<string, string>> = codes
  if (error === 'invalid_request' && message.endsWith(NO_CONTROLS)) return web.textWrong
  if (statusCode === 429) return codes.too_many_requests
  if (Object.hasOwn(known, error)) return known[error] ?? unexpected
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
