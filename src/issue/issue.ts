import type { Context } from 'koa'
import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { trailOf } from '../events/trail.ts'
import { findAccount } from '../host/grants.ts'
import { requestless, runInRequest } from '../host/request.ts'
import { instance } from '../host/weak-cache.ts'
import { audited, publicError } from '../impersonations/audited.ts'
import { seconds, text, valid } from '../options/rules.ts'
import { permissionFor } from '../policy/authorize.ts'
import { mayClient } from '../policy/clients.ts'
import type { AuthorizationRequest, Binding } from '../public/hooks.ts'
import type {
  IssuedSubjectToken,
  IssueOptions,
  Preview,
  PreviewOptions,
  SubjectTokenRequest,
} from '../public/objects.ts'
import { actorOf } from '../shared/act.ts'
import { ApprovalRequired, ClientNotNamed, statusOf, UserNotFound } from '../shared/errors.ts'
import { copyAsJson, present } from '../shared/json.ts'
import { parseIssueRequest, readContext } from './request.ts'

/**
 * Validates a request, and prepares the question for the deployment's rule.
 *
 * @param ctx - the context whose client may issue
 * @param json - the request as JSON
 * @throws errors.InvalidRequest, UserNotFound
 */
async function prepareQuestion(ctx: KoaContextWithOIDC, json: unknown) {
  const { provider, client } = ctx.oidc
  if (!client) throw new Error('no client asks')
  const trail = trailOf(ctx)
  const { options } = instance(provider)

  const request = parseIssueRequest(json, options)
  const { userId, mayAct, resource, scope } = request
  const actor = actorOf(mayAct?.sub)
  trail.add({ userId, resource, actor, mayAct })
  const { context, json: storedContext } = await readContext(request.context, options)
  trail.add({ context })

  const account = await findAccount(provider, ctx, userId)
  // An account with another id is another user, whatever the reason why `findAccount` returned it.
  if (account?.accountId !== userId) throw new UserNotFound()
  ctx.oidc.entity('Account', account)
  const question: AuthorizationRequest = {
    stage: 'issue',
    ctx,
    client,
    account,
    actor,
    mayAct,
    resource,
    scope,
    context,
  }
  return { request, question, storedContext }
}

/**
 * Issues for both doors: validates, calls the deployment's rule, stores.
 *
 * @param more - options that only code in this process can set
 * @returns the id and the value of the stored subject token, and its lifetime in seconds
 */
export async function issue(
  ctx: KoaContextWithOIDC,
  json: unknown,
  { accessTokenTtl }: Pick<IssueOptions, 'accessTokenTtl'> = {},
) {
  const { options, statusLists, subjectTokens } = instance(ctx.oidc.provider)
  const { request, question, storedContext } = await prepareQuestion(ctx, json)
  const { userId, mayAct, resource, expiresIn: asked } = request
  const { scope, permit, review } = await permissionFor(options.authorize, question)

  const status = await statusLists?.draw()
  const binding: Binding = { mayAct, resource, scope, accessTokenTtl }
  const subjectToken = subjectTokens.create({
    accountId: userId,
    clientId: question.client.clientId,
    context: storedContext,
    binding: JSON.stringify(binding),
    // Without undefined members, because each is copied twice on its way to the storage.
    ...present({
      actor: mayAct?.sub,
      permit,
      review,
      statusList: status?.list,
      statusIndex: status?.index,
    }),
  })
  // The configured lifetime, which may be the result of a function.
  const longest = subjectToken.expiration
  if (asked !== undefined && asked > longest) {
    throw new errors.InvalidRequest(`expiresIn must be at most ${longest} seconds`)
  }
  if (asked !== undefined) subjectToken.expiresIn = asked
  ctx.oidc.entity('SubjectToken', subjectToken)
  const value = await subjectToken.save()
  const { jti: id, exp: expiresAt, expiration: expiresIn } = subjectToken
  trailOf(ctx).add({ id, scope, permit, review, expiresAt })
  return { id, value, expiresIn }
}

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
  const { id, value, expiresIn } = await inProcess(provider, request, given, (ctx, asked) =>
    audited(ctx, 'issue', async () => {
      trailOf(ctx).add({ requestedBy: as })
      await requireNamed(ctx, as)
      return issue(ctx, asked, { accessTokenTtl })
    }),
  )
  return Object.freeze({ subjectToken: value, expiresIn, id })
}

/** Returns the decision of an issue now, without limits, an event or anything that is stored. */
export async function previewIssue(
  provider: Provider,
  request: SubjectTokenRequest,
  { as, ctx: given }: PreviewOptions,
): Promise<Preview> {
  return inProcess(provider, request, given, async (ctx, asked) => {
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
  request: SubjectTokenRequest,
  given: IssueOptions['ctx'],
  run: (ctx: KoaContextWithOIDC, json: unknown) => Promise<T>,
): Promise<T> {
  let json: unknown
  try {
    // The caller may change it while the deployment's rule runs.
    json = copyAsJson(request)
  } catch (cause) {
    throw new errors.InvalidRequest('the request must be what JSON can have', 400, { cause })
  }
  const own = given ? Object.create(given) : requestless(provider)
  try {
    return await runInRequest(provider, own, (ctx) => run(ctx, json))
  } catch (thrown) {
    const error = publicError(thrown)
    if (error instanceof errors.OIDCProviderError) {
      const status = statusOf(error)
      Object.assign(error, { status, statusCode: status })
    }
    throw error
  }
}

/** @throws ClientNotNamed */
async function requireNamed(ctx: KoaContextWithOIDC, clientId: string): Promise<void> {
  const { provider } = ctx.oidc
  const client = await instance(provider).verifier.findClient(clientId)
  if (!client || !(await mayClient(provider, 'issue', client))) throw new ClientNotNamed()
  ctx.oidc.entity('Client', client)
}
