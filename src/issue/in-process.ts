import { type Client, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { audited } from '../events/trail.ts'
import { requestless, runInRequest, withOidc } from '../host/request.ts'
import { endLater } from '../impersonations/end.ts'
import { optionsOf } from '../options/defaults.ts'
import type { Permission } from '../policy/authorize.ts'
import { rightsOf } from '../policy/clients.ts'
import type {
  IssuedSubjectToken,
  IssueOptions,
  Preview,
  SubjectTokenRequest,
} from '../public/objects.ts'
import { ApprovalRequired, ClientNotNamed, statusOf } from '../shared/errors.ts'
import { present } from '../shared/json.ts'
import { AccessTokenRejected, verifierOf } from '../tokens/access-token.ts'
import { issue, permissionToIssue, readContext, userOf } from './issue.ts'
import { parseIssueRequest } from './request.ts'

/** The door inside the process: the client is named, not authenticated; all else is as over HTTP. */
export async function issueInProcess(
  provider: Provider,
  request: SubjectTokenRequest,
  { as, ctx: given }: IssueOptions,
): Promise<IssuedSubjectToken> {
  const asked = copyOf(request)
  const ctx = contextFor(provider, given)
  const { id, value, expiresIn } = await runInRequest(ctx, () =>
    audited(provider, ctx, {
      stage: 'issue',
      undo: (issued) => endLater(provider, issued, 'notRecorded'),
      async run(trail) {
        trail.add({ requestedBy: as })
        await requireNamed(provider, ctx, as)
        return issue(provider, ctx, trail, () => asked)
      },
    }),
  ).catch(rethrowWithWireStatus)
  return Object.freeze({ subjectToken: value, expiresIn, id })
}

/** What issuing would decide now: without limits, an event or anything that is stored. */
export async function previewIssue(
  provider: Provider,
  request: SubjectTokenRequest,
  { as, ctx: given }: IssueOptions,
): Promise<Preview> {
  const asked = copyOf(request)
  const ctx = contextFor(provider, given)
  return runInRequest(ctx, async () => {
    const client = await requireNamed(provider, ctx, as)
    const parsed = parseIssueRequest(asked, optionsOf.of(provider))
    const { context } = await readContext(provider, parsed)
    const account = await userOf(provider, ctx, parsed.userId)
    const question = { ctx, client, account, context, isPreview: true } as const
    // The rule alone is asked in here: what else refuses is no verdict.
    const answer = permissionToIssue(provider, parsed, question)
    return Object.freeze(await answer.then(allowed, refused))
  }).catch(rethrowWithWireStatus)
}

/** A context of its own above the caller's: two calls in one request must not share `oidc`. */
function contextFor(provider: Provider, given: IssueOptions['ctx']): KoaContextWithOIDC {
  return withOidc(provider, given ? Object.create(given) : requestless(provider))
}

/** A copy, as JSON has it: the caller may change the request while the deployment's rule is asked. */
function copyOf(request: SubjectTokenRequest): unknown {
  try {
    return JSON.parse(JSON.stringify(request) ?? 'null')
  } catch (cause) {
    throw new errors.InvalidRequest('the request must be what JSON can have', 400, { cause })
  }
}

/** @throws ClientNotNamed */
async function requireNamed(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  clientId: string,
): Promise<Client> {
  try {
    const client = await verifierOf.of(provider).findClient(clientId)
    if (await rightsOf.of(provider).issue.may(client)) {
      ctx.oidc.entity('Client', client)
      return client
    }
  } catch (cause) {
    if (!(cause instanceof AccessTokenRejected)) throw cause
  }
  throw new ClientNotNamed()
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

/** Over HTTP, some errors have another status than the provider gives them. */
function rethrowWithWireStatus(error: unknown): never {
  if (error instanceof errors.OIDCProviderError) {
    const status = statusOf(error)
    Object.assign(error, { status, statusCode: status })
  }
  throw error
}
