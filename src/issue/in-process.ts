import type { Context } from 'koa'
import { type Client, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { audited } from '../events/audited.ts'
import { trailOf } from '../events/trail.ts'
import { requestless, runInRequest, withOidc } from '../host/request.ts'
import { instance } from '../host/weak-cache.ts'
import { endLater } from '../impersonations/end.ts'
import { seconds, text, valid } from '../options/rules.ts'
import type { Permission } from '../policy/authorize.ts'
import { mayClient } from '../policy/clients.ts'
import type {
  IssuedSubjectToken,
  IssueOptions,
  Preview,
  PreviewOptions,
  SubjectTokenRequest,
} from '../public/objects.ts'
import { ApprovalRequired, ClientNotNamed, statusOf } from '../shared/errors.ts'
import { present } from '../shared/json.ts'
import { issue, permissionToIssue, readContext, userOf } from './issue.ts'
import { parseIssueRequest } from './request.ts'

/** The options of the caller in the process. */
export const ISSUE_RULES = {
  as: text.required('the id of a client'),
  ctx: valid<Context>((value) => typeof value === 'object' && value !== null, 'a context of Koa'),
  accessTokenTtl: seconds,
}

/**
 * Issues in the process. The client is named, not authenticated. Everything else is as over HTTP.
 */
export async function issueInProcess(
  provider: Provider,
  request: SubjectTokenRequest,
  { as, ctx: given, accessTokenTtl }: IssueOptions,
): Promise<IssuedSubjectToken> {
  const asked = copyOf(request)
  const ctx = contextFor(provider, given)
  const { id, value, expiresIn } = await runInRequest(ctx, () =>
    audited(provider, ctx, {
      stage: 'issue',
      undo: (issued) => endLater(provider, issued, 'notRecorded'),
      async run() {
        trailOf(ctx).add({ requestedBy: as })
        await requireNamed(provider, ctx, as)
        return issue(provider, ctx, () => asked, { accessTokenTtl })
      },
    }),
  ).catch(rethrowWithWireStatus)
  return Object.freeze({ subjectToken: value, expiresIn, id })
}

/** Returns the decision of an issue now, without limits, an event or anything that is stored. */
export async function previewIssue(
  provider: Provider,
  request: SubjectTokenRequest,
  { as, ctx: given }: PreviewOptions,
): Promise<Preview> {
  const asked = copyOf(request)
  const ctx = contextFor(provider, given)
  return runInRequest(ctx, async () => {
    const client = await requireNamed(provider, ctx, as)
    const parsed = parseIssueRequest(asked, instance(provider).options)
    const { context } = await readContext(provider, parsed)
    const account = await userOf(provider, ctx, parsed.userId)
    const question = { ctx, client, account, context, isPreview: true } as const
    // Only the rule is called in here, because other refusals are no verdict.
    const answer = permissionToIssue(provider, parsed, question)
    return Object.freeze(await answer.then(allowed, refused))
  }).catch(rethrowWithWireStatus)
}

/**
 * Makes a context of its own above the caller's, because two calls in one request must not share
 * `oidc`.
 */
function contextFor(provider: Provider, given: IssueOptions['ctx']): KoaContextWithOIDC {
  return withOidc(provider, given ? Object.create(given) : requestless(provider))
}

/** Copies a request as JSON, because the caller may change it while the deployment's rule runs. */
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
  const client = await instance(provider).verifier.findClient(clientId)
  if (!client || !(await mayClient(provider, 'issue', client))) throw new ClientNotNamed()
  ctx.oidc.entity('Client', client)
  return client
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

/** Over HTTP, some errors have another status than the provider's. */
function rethrowWithWireStatus(error: unknown): never {
  if (error instanceof errors.OIDCProviderError) {
    const status = statusOf(error)
    Object.assign(error, { status, statusCode: status })
  }
  throw error
}
