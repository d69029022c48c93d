import { errors, type KoaContextWithOIDC } from 'oidc-provider'
import { trailOf } from '../events/trail.ts'
import { findAccount } from '../host/grants.ts'
import { instance } from '../host/weak-cache.ts'
import { permissionFor } from '../policy/authorize.ts'
import type { AuthorizationRequest, Binding } from '../public/hooks.ts'
import type { IssueOptions } from '../public/objects.ts'
import { UserNotFound } from '../shared/errors.ts'
import { present } from '../shared/json.ts'
import { parseIssueRequest, readContext } from './request.ts'

/** A stored subject token. */
export interface Issued {
  readonly id: string
  readonly value: string
  /** In seconds. */
  readonly expiresIn: number
}

/**
 * Validates a request, and prepares the question for the deployment's rule.
 *
 * @param ctx - the context whose client may issue
 * @param json - the request as JSON
 * @throws errors.InvalidRequest, UserNotFound
 */
export async function prepareQuestion(ctx: KoaContextWithOIDC, json: unknown) {
  const { provider, client } = ctx.oidc
  if (!client) throw new Error('no client asks')
  const trail = trailOf(ctx)
  const { options } = instance(provider)

  const request = parseIssueRequest(json, options)
  const { userId, mayAct, resource, scope } = request
  const actor = mayAct?.sub === undefined ? undefined : Object.freeze({ sub: mayAct.sub })
  trail.add({ userId, resource, actor })
  if (mayAct) trail.add({ mayAct })
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
 */
export async function issue(
  ctx: KoaContextWithOIDC,
  json: unknown,
  { accessTokenTtl }: Pick<IssueOptions, 'accessTokenTtl'> = {},
): Promise<Issued> {
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
