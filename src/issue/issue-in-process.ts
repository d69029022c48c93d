import type { Context } from 'koa'
import { type Client, errors, type Provider } from 'oidc-provider'
import { audited } from '../events/audited.ts'
import { requestless, runInRequest, withOidc } from '../host/request.ts'
import type { Right } from '../policy/machine-tokens.ts'
import type { IssuedSubjectToken, IssueOptions, SubjectTokenRequest } from '../public/issue.ts'
import { ClientNotNamed, statusOf } from '../shared/errors.ts'
import type { AccessTokenVerifier } from '../tokens/access-token.ts'
import { AccessTokenRejected } from '../tokens/access-token.ts'
import { type IssueParts, subjectTokenIssuer } from './issue.ts'

/** What issuing in the process takes. */
export interface InProcessParts extends IssueParts {
  readonly verifier: Pick<AccessTokenVerifier, 'findClient'>
  /** The right to issue. */
  readonly right: Right
  readonly endUnrecorded: (id: string) => void
}

/** Issues a subject token for code of the deployment. */
export type IssueInProcess = (
  request: SubjectTokenRequest,
  how: IssueOptions,
) => Promise<IssuedSubjectToken>

/** The door inside the process: the client is named, not authenticated; all else is as over HTTP. */
export function inProcessIssuer(provider: Provider, parts: InProcessParts): IssueInProcess {
  const issue = subjectTokenIssuer(provider, parts)
  const { bodyBytes } = parts.options.limits

  return async (request, { as, ctx: given }) => {
    // A copy: the caller may change the request while the deployment's rule is asked.
    const json = toJson(request)
    // A context of its own above the caller's: two calls in one request must not share `oidc`.
    const base: Context = given ? Object.create(given) : requestless(provider)
    const ctx = withOidc(provider, base)
    const { value, expiresIn } = await runInRequest(ctx, () =>
      audited(provider, ctx, {
        stage: 'issue',
        undo: parts.endUnrecorded,
        async run(trail) {
          trail.note({ issuedTo: as })
          const client = await namedClient(parts, as)
          return issue({ ctx, client, trail, read: () => parseJson(json, bodyBytes) })
        },
      }),
    ).catch(withWireStatus)
    return Object.freeze({ subjectToken: value, expiresIn })
  }
}

export async function namedClient(
  { verifier, right }: Pick<InProcessParts, 'right' | 'verifier'>,
  clientId: string,
): Promise<Client> {
  try {
    const client = await verifier.findClient(clientId)
    if (await right.may(client)) return client
  } catch (cause) {
    if (!(cause instanceof AccessTokenRejected)) throw cause
  }
  throw new ClientNotNamed()
}

/** What JSON has of it; `undefined` where it has nothing of it. */
export function toJson(request: unknown): string | undefined {
  try {
    return JSON.stringify(request)
  } catch {
    return undefined
  }
}

export function parseJson(json: string | undefined, maxBytes: number): unknown {
  if (json === undefined) throw new errors.InvalidRequest('the body is not a valid JSON object')
  if (Buffer.byteLength(json) > maxBytes) {
    throw new errors.InvalidRequest(`the body must not exceed ${maxBytes} bytes`, 413)
  }
  return JSON.parse(json)
}

/** Over HTTP, some errors have another status than the provider gives them. */
export function withWireStatus(error: unknown): never {
  if (error instanceof errors.OIDCProviderError) {
    const status = statusOf(error)
    Object.assign(error, { status, statusCode: status })
  }
  throw error
}
