import { Problem } from '../http/problem.ts'
import type { MachineToken } from './machine-token.ts'
import type { BackendOptions } from './options.ts'
import { type Answer, post, unexpected } from './provider-client.ts'

/** What this backend asks for: never a token that anybody could redeem for anything. */
export interface IssueRequest {
  readonly userId: string
  readonly context: Readonly<Record<string, string | number>>
  /** Only this operator may redeem it. */
  readonly mayAct: { readonly sub: string }
  /** Only for this resource. */
  readonly resource: string
  /** With no more than these scopes. */
  readonly scope: string
  /** Seconds; `undefined` for as long as subject tokens live. */
  readonly expiresIn: number | undefined
}

/** Answers of the management API that are the caller's business. The rest is between us. */
const PASSED_ON: ReadonlySet<number> = new Set([400, 403, 404, 429])

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
    const message = typeof description === 'string' ? description : error
    throw new Problem(answer.status, error, message, { retryAfter: answer.retryAfter })
  }
  throw unexpected('subject-tokens', answer)
}
