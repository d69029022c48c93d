import { Problem } from './http/problem.ts'
import { type Answer, unexpected } from './provider-client.ts'

/** The body of the management API's answer, if it is a subject token. Otherwise its refusal. */
export function subjectTokenOf(answer: Answer): string {
  const { status, json, text, retryAfter } = answer
  if (status === 201 && typeof json.subjectToken === 'string') return text
  // What concerns the caller is passed on. A scope that is missing concerns the backend's token.
  const { error, error_description: description = error } = json
  const isForCaller = [400, 403, 404, 429, 503].includes(status) && error !== 'insufficient_scope'
  if (!isForCaller || typeof error !== 'string') throw unexpected('subject-tokens', answer)
  throw new Problem(status, error, String(description), { retryAfter })
}
