import { words } from '../kit/text.tsx'
import { ApiProblem, Unreachable } from './session.ts'

/** Why something is not shown: nothing was to be done. */
export function readingInWords(error: unknown): string {
  const isTrouble = error instanceof ApiProblem && error.status >= 500
  return isTrouble ? words.web.problems.notShown : inWords(error)
}

/** An error in a sentence for people: by its code, not by the words of the server. */
export function inWords(error: unknown): string {
  const { problems } = words.web
  if (error instanceof Unreachable) return problems.unreachable
  if (!(error instanceof ApiProblem)) return problems.unexpected
  if (error.status === 401) return problems.signedOut
  if (error.status === 429) return problems.codes.too_many_requests
  const known: Readonly<Record<string, string>> = problems.codes
  if (Object.hasOwn(known, error.error)) return known[error.error] ?? problems.unexpected
  if (error.status >= 500) return problems.trouble
  if (error.status === 404) return problems.codes.not_found
  return error.status === 403 ? problems.codes.access_denied : problems.unexpected
}

/** Whether the same request can succeed later. */
export function mayPass(error: unknown): boolean {
  return !(error instanceof ApiProblem) || error.status >= 500 || error.status === 429
}
