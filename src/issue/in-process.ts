import type { Context } from 'koa'
import { type Client, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { trailOf } from '../events/trail.ts'
import { requestless, runInRequest } from '../host/request.ts'
import { instance } from '../host/weak-cache.ts'
import { audited, publicError } from '../impersonations/audited.ts'
import { seconds, text, valid } from '../options/rules.ts'
import { permissionFor } from '../policy/authorize.ts'
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
import { issue, prepareQuestion } from './issue.ts'

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
  const run = async (ctx: KoaContextWithOIDC) => {
    trailOf(ctx).add({ requestedBy: as })
    await requireNamed(ctx, as)
    return issue(ctx, asked, { accessTokenTtl })
  }
  const { id, value, expiresIn } = await inProcess(provider, given, (ctx) =>
    audited(ctx, 'issue', () => run(ctx)),
  )
  return Object.freeze({ subjectToken: value, expiresIn, id })
}

/** Returns the decision of an issue now, without limits, an event or anything that is stored. */
export async function previewIssue(
  provider: Provider,
  request: SubjectTokenRequest,
  { as, ctx: given }: PreviewOptions,
): Promise<Preview> {
  const asked = copyOf(request)
  return inProcess(provider, given, async (ctx) => {
    await requireNamed(ctx, as)
    const { question } = await prepareQuestion(ctx, asked)
    try {
      const { authorize } = instance(provider).options
      const permission = await permissionFor(authorize, { ...question, isPreview: true })
      const { accessTokenTtl, permit } = permission
      return Object.freeze({ verdict: 'allowed', ...present({ accessTokenTtl, permit }) })
    } catch (error) {
      // Only the rule is called in here, because other refusals are no verdict.
      if (error instanceof ApprovalRequired) {
        const { by: needs, ...more } = error.approval
        return Object.freeze({ verdict: 'needs', needs, ...more })
      }
      if (error instanceof errors.AccessDenied) return Object.freeze({ verdict: 'refused' })
      throw error
    }
  })
}

/**
 * Runs with a context of its own above the caller's, because two calls in one request must not
 * share `oidc`. Some errors have another status over HTTP than the provider's, and here, too.
 */
async function inProcess<T>(
  provider: Provider,
  given: IssueOptions['ctx'],
  run: (ctx: KoaContextWithOIDC) => Promise<T>,
): Promise<T> {
  try {
    return await runInRequest(provider, given ? Object.create(given) : requestless(provider), run)
  } catch (thrown) {
    const error = publicError(thrown)
    if (error instanceof errors.OIDCProviderError) {
      const status = statusOf(error)
      Object.assign(error, { status, statusCode: status })
    }
    throw error
  }
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
async function requireNamed(ctx: KoaContextWithOIDC, clientId: string): Promise<void> {
  const { provider } = ctx.oidc
  const client: Client | undefined = await instance(provider).verifier.findClient(clientId)
  if (!client || !(await mayClient(provider, 'issue', client))) throw new ClientNotNamed()
  ctx.oidc.entity('Client', client)
}
