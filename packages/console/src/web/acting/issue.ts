import type { Context } from 'koa'
import {
  ApprovalRequired,
  ClientNotNamed,
  errors,
  type IssuedSubjectToken,
  type Preview,
  type Provider,
  type SubjectTokenRequest,
} from 'oidc-provider-impersonation'
import { limitTime } from 'oidc-provider-impersonation/siblings'
import { busy, Problem } from '../http/problem.ts'
import type { Settings } from '../settings.ts'

/**
 * Issues a subject token in the process. The policy sees the operator's request.
 *
 * `accessTokenTtl`: how long the operator may act at most, in seconds, whatever the policy answers.
 *
 * @throws Problem with what concerns the operator, such as `access_denied`
 * @throws Error with what concerns the deployment
 */
export type IssueSubjectToken = (
  request: SubjectTokenRequest,
  ctx: Context,
  accessTokenTtl?: number,
) => Promise<IssuedSubjectToken>

export function subjectTokenIssuer(
  { impersonation }: Pick<Provider, 'impersonation'>,
  { issueAs }: Pick<Settings, 'issueAs'>,
): IssueSubjectToken {
  return async (request, ctx, accessTokenTtl) => {
    try {
      return await impersonation.issue(request, { as: issueAs, ctx, accessTokenTtl })
    } catch (error) {
      throw issueProblemOf(error, issueAs)
    }
  }
}

/** The timeout of the rule, in milliseconds. */
const PREVIEW_TIMEOUT_MS = 2000

/** Asks the rule beforehand. It throws as {@link IssueSubjectToken}. */
export type PreviewIssue = (request: SubjectTokenRequest, ctx: Context) => Promise<Preview>

export function issuePreviewer(
  { impersonation }: Pick<Provider, 'impersonation'>,
  { issueAs }: Pick<Settings, 'issueAs'>,
): PreviewIssue {
  return async (request, ctx) => {
    try {
      const preview = impersonation.preview(request, { as: issueAs, ctx })
      return await limitTime(PREVIEW_TIMEOUT_MS, preview, () => busy('the rule does not answer'))
    } catch (error) {
      throw issueProblemOf(error, issueAs)
    }
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
