import { Problem } from '../http/problem.ts'
import type { MachineToken } from './machine-token.ts'
import type { BackendOptions } from './options.ts'
import { type Answer, post, unexpected } from './provider-client.ts'

export interface IssueRequest {
  readonly userId: string
  readonly context: Readonly<Record<string, string>>
}

/** Answers of the management API that are the caller's business. The rest is between us. */
const PASSED_ON: ReadonlySet<number> = new Set([400, 403, 404])

/**
 * Asks the management API for a subject token.
 *
 * @returns its answer, word for word
 * @throws Problem with what it said where that concerns the caller, otherwise 502 or 503.
 */
export async function issueSubjectToken(
  request: IssueRequest,
  machineToken: MachineToken,
  { providerUrl }: BackendOptions,
): Promise<string> {
  const send = async (): Promise<Answer> => {
    const token = await machineToken.get()
    const answer = await post(
      new URL('/api/subject-tokens', providerUrl),
      { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      JSON.stringify(request),
    )
    if (answer.status === 401) machineToken.discard(token)
    return answer
  }

  const first = await send()
  // The token in hand may have been revoked, or the provider have new keys.
  const answer = first.status === 401 ? await send() : first
  if (answer.status === 201 && typeof answer.json.subjectToken === 'string') return answer.text
  const { error, error_description: description } = answer.json
  if (
    PASSED_ON.has(answer.status) &&
    typeof error === 'string' &&
    // This backend's own token, not the operator's, is short of a scope.
    error !== 'insufficient_scope'
  ) {
    throw new Problem(answer.status, error, typeof description === 'string' ? description : error)
  }
  throw unexpected('subject-tokens', answer)
}
