import type { Context } from 'koa'
import {
  ApprovalRequired,
  ClientNotNamed,
  errors,
  type Provider,
  type SubjectTokenRequest,
} from 'oidc-provider-impersonation'
import { limitTime } from 'oidc-provider-impersonation/siblings'
import { busy, Problem } from '../http/problem.ts'

/** The timeout of the rule, in milliseconds. */
const PREVIEW_TIMEOUT_MS = 2000

export type Issuing = ReturnType<typeof issuingBy>

/** Issues subject tokens in the process. The policy sees the operator's request. @param as the machine client */
export function issuingBy({ impersonation }: Pick<Provider, 'impersonation'>, as: string) {
  const refusing = (error: unknown): never => {
    throw issueProblemOf(error, as)
  }
  return {
    /**
     * @param accessTokenTtl how long the operator may act at most, in seconds, whatever the policy answers
     * @throws Problem with what concerns the operator, such as `access_denied`
     * @throws Error with what concerns the deployment
     */
    issue: (request: SubjectTokenRequest, ctx: Context, accessTokenTtl?: number) =>
      impersonation.issue(request, { as, ctx, accessTokenTtl }).catch(refusing),
    /** Asks the rule beforehand. It throws as `issue`. */
    preview: (request: SubjectTokenRequest, ctx: Context) =>
      limitTime(PREVIEW_TIMEOUT_MS, impersonation.preview(request, { as, ctx }), () =>
        busy('the rule does not answer'),
      ).catch(refusing),
  }
}

function issueProblemOf(error: unknown, issueAs: string): unknown {
  if (error instanceof ClientNotNamed) {
    return new Error(`options.issueAs ${issueAs}: ${error.error_description}`, { cause: error })
  }
  if (!(error instanceof errors.OIDCProviderError)) return error
  const { statusCode, error: code, error_description: description = code } = error
  const retryAfter = 'retryAfter' in error ? Number(error.retryAfter) : undefined
  const more = error instanceof ApprovalRequired ? { more: { approval: error.approval } } : {}
  return new Problem(statusCode, code, description, { retryAfter, ...more })
}
