import type { Provider } from 'oidc-provider'
import type { Impersonations } from '../impersonations/impersonations.ts'
import { type IssueParts, subjectTokenIssuer } from '../issue/issue.ts'
import type { Right } from '../policy/machine-tokens.ts'
import { authenticate, type BearerParts } from './bearer.ts'
import { bodyReader } from './json-body.ts'
import type { Handler } from './see-and-end.ts'
import { siblingUrls } from './sibling-urls.ts'

/** What the handler takes. */
export interface IssueHandlerParts extends BearerParts, IssueParts {
  /** The right to issue. */
  readonly right: Right
  /** Whether there is anything that the answer's `Location` could name. */
  readonly impersonations: Impersonations | undefined
}

/** The handler of `POST …/subject-tokens`: authenticates, reads, answers what was decided. */
export function issueHandler(provider: Provider, parts: IssueHandlerParts): Handler {
  const issue = subjectTokenIssuer(provider, parts)
  const readBody = bodyReader(parts.options.limits.bodyBytes)
  const siblingUrl = siblingUrls()

  return async (ctx, trail) => {
    const client = await authenticate(provider, ctx, parts, parts.right, trail)
    const { id, value, expiresIn } = await issue({ ctx, client, read: () => readBody(ctx), trail })
    ctx.status = 201
    if (parts.impersonations) ctx.set('Location', siblingUrl(ctx, `impersonations/${id}`))
    ctx.body = { subjectToken: value, expiresIn }
  }
}
