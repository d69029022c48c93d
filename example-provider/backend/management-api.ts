import { Problem } from '../http/problem.ts'
import type { MachineToken } from './machine-token.ts'
import type { BackendOptions } from './options.ts'
import { type Answer, post, unexpected } from './provider-client.ts'

/** The request of this backend. Its tokens always have an operator, a resource and a scope. */
export interface IssueRequest {
  readonly userId: string
  readonly context: Readonly<Record<string, string | number>>
  /** The only operator who may redeem the token. */
  readonly mayAct: { readonly sub: string }
  /** The only resource. */
  readonly resource: string
  /** The largest scope. */
  readonly scope: string
  /** Seconds; `undefined` for the default lifetime of subject tokens. */
  readonly expiresIn: number | undefined
}

/** Statuses of the management API that are passed on to the caller. Others become 502 or 503. */
const PASSED_ON: ReadonlySet<number> = new Set([400, 403, 404, 429, 503])

/**
 * Asks the management API for a subject token.
 *
 * @returns its answer, unchanged
 * @throws Problem with the API's own error if it concerns the caller, otherwise 502 or 503.
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
  // The current token may be revoked, or the provider may have new keys.
  const answer = first.status === 401 ? await send() : first
  if (answer.status === 201 && typeof answer.json.subjectToken === 'string') return answer.text
  const { error, error_description: description } = answer.json
  if (
    PASSED_ON.has(answer.status) &&
    typeof error === 'string' &&
    // The token of this backend lacks a scope, not the operator's token.
    error !== 'insufficient_scope'
  ) {
    const message = typeof description === 'string' ? description : error
    throw new Problem(answer.status, error, message, { retryAfter: answer.retryAfter })
  }
  throw unexpected('subject-tokens', answer)
}
