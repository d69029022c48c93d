import { errors, type SubjectTokenRequest } from 'oidc-provider-impersonation'
import { limitTime } from 'oidc-provider-impersonation/siblings'
import { PermitError } from '../../../records/errors.ts'
import { invalidInput } from '../../../records/inputs.ts'
import type { Records } from '../../../records/records.ts'
import type { AskHow } from './options.ts'

/**
 * Asks the rule which approvals it needs, and whether it allows an emergency, as an issue would: whoever asks for a permit does not say what it needs.
 *
 * @throws PermitError where the rule refuses, needs no approval, or cannot be asked
 */
export async function askRule(
  { attached, timeoutMs }: Pick<Records, 'attached' | 'timeoutMs'>,
  issueAs: () => string,
  request: SubjectTokenRequest,
  { ctx }: AskHow,
) {
  const { impersonation } = attached()
  const { verdict, needs, emergency } = await limitTime(
    timeoutMs,
    impersonation.preview(request, { as: issueAs(), ctx }),
  ).catch((error: unknown) => Promise.reject(wrongRuleOf(error)))
  if (verdict === 'needs' && needs) return { needs, emergency: emergency === true }
  if (verdict === 'allowed') throw new PermitError('not_needed', 'this needs no approval: start')
  throw new PermitError('access_denied', 'the rule does not allow this')
}

function wrongRuleOf(error: unknown): unknown {
  const cause = error instanceof Error ? error.cause : undefined
  // The rule is wrapped: permits themselves could not read something.
  if (cause instanceof PermitError) return cause
  if (error instanceof errors.OIDCProviderError && error.expose) {
    const { error_description: description = error.error } = error
    return invalidInput(description)
  }
  return new PermitError('temporarily_unavailable', 'the rule cannot be asked now', {
    cause: error,
  })
}
