import type { Context } from 'koa'
import { errors, type Provider } from 'oidc-provider'
import { requestless, runInRequest, withOidc } from '../host/request.ts'
import type { Permission } from '../policy/authorize.ts'
import type { IssueOptions, Preview, SubjectTokenRequest } from '../public/issue.ts'
import { ApprovalRequired } from '../shared/errors.ts'
import { present } from '../shared/present.ts'
import { parseRequest, permissionToIssue, userOf } from './issue.ts'
import {
  type InProcessParts,
  namedClient,
  parseJson,
  toJson,
  withWireStatus,
} from './issue-in-process.ts'

/** Asks the deployment's rule for code of the deployment. */
export type PreviewIssue = (request: SubjectTokenRequest, how: IssueOptions) => Promise<Preview>

/** What issuing would decide now: without limits, an event or anything that is stored. */
export function issuePreviewer(
  provider: Provider,
  parts: Pick<InProcessParts, 'options' | 'right' | 'verifier'>,
): PreviewIssue {
  const { options } = parts

  return async (request, { as, ctx: given }) => {
    // A copy: the caller may change the request while the deployment's rule is asked.
    const json = toJson(request)
    const base: Context = given ? Object.create(given) : requestless(provider)
    const ctx = withOidc(provider, base)
    return runInRequest(ctx, async () => {
      const client = await namedClient(parts, as)
      ctx.oidc.entity('Client', client)
      const asked = parseRequest(parseJson(json, options.limits.bodyBytes), options)
      const { context } = await asked.readContext()
      const account = await userOf(provider, ctx, asked.userId)
      const question = { ctx, client, account, context, isPreview: true } as const
      // The rule alone is asked in here: what else refuses is no verdict.
      const answer = permissionToIssue(options, asked, question)
      return Object.freeze(await answer.then(allowed, refused))
    }).catch(withWireStatus)
  }
}

function allowed({ accessTokenTtl, permit }: Permission): Preview {
  return { verdict: 'allowed', ...present({ accessTokenTtl, permit }) }
}

function refused(error: unknown): Preview {
  if (error instanceof ApprovalRequired) {
    const { by: needs, ...more } = error.approval
    return { verdict: 'needs', needs, ...more }
  }
  if (error instanceof errors.AccessDenied) return { verdict: 'refused' }
  throw error
}
