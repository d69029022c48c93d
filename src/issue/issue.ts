import { type Account, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import { trailOf } from '../events/trail.ts'
import { findAccount } from '../host/grants.ts'
import { instance } from '../host/weak-cache.ts'
import { type Permission, permissionFor } from '../policy/authorize.ts'
import type { AuthorizationRequest, Binding, SubjectTokenContext } from '../public/hooks.ts'
import type { IssueOptions } from '../public/objects.ts'
import { UserNotFound } from '../shared/errors.ts'
import { deepFreeze, present } from '../shared/json.ts'
import { type IssueRequest, parseIssueRequest, serialisedContext, validContext } from './request.ts'

/** A stored subject token. */
export interface Issued {
  readonly id: string
  readonly value: string
  /** In seconds. */
  readonly expiresIn: number
}

/** Returns the context as the deployment's schema returned it, and as it is stored. */
export async function readContext(
  provider: Provider,
  { context: given }: IssueRequest,
): Promise<{ readonly context: SubjectTokenContext; readonly json: string }> {
  const { contextSchema, limits } = instance(provider).options
  const context = deepFreeze(await validContext(contextSchema, given))
  return { context, json: serialisedContext(context, limits.contextBytes) }
}

/** @throws UserNotFound */
export async function userOf(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  userId: string,
): Promise<Account> {
  const account = await findAccount(provider, ctx, userId)
  // An account with another id is another user, whatever the reason why `findAccount` returned it.
  if (account?.accountId !== userId) throw new UserNotFound()
  ctx.oidc.entity('Account', account)
  return account
}

/** Calls the deployment's rule at issue. */
export async function permissionToIssue(
  provider: Provider,
  request: IssueRequest,
  question: Pick<AuthorizationRequest, 'account' | 'client' | 'context' | 'ctx' | 'isPreview'>,
): Promise<Permission> {
  const { mayAct, resource, scope } = request
  const asked = { ...question, actor: operatorOf(request), mayAct, resource, scope }
  return permissionFor(instance(provider).options.authorize, { stage: 'issue', ...asked })
}

/** The operator to whom the token is bound. */
function operatorOf({ mayAct }: IssueRequest): AuthorizationRequest['actor'] {
  return mayAct?.sub === undefined ? undefined : Object.freeze({ sub: mayAct.sub })
}

/**
 * Issues for both doors: validates, calls the deployment's rule, stores.
 *
 * @param ctx - the context whose client may issue
 * @param read - returns the request as JSON
 * @param more - options that only code in this process can set
 */
export async function issue(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  read: () => unknown,
  more: Pick<IssueOptions, 'accessTokenTtl'> = {},
): Promise<Issued> {
  const { client } = ctx.oidc
  if (!client) throw new Error('no client asks')
  const trail = trailOf(ctx)
  const { options } = instance(provider)

  const request = parseIssueRequest(await read(), options)
  const { userId, mayAct, resource } = request
  const actor = operatorOf(request)
  trail.add({ userId, resource, actor })
  if (mayAct) trail.add({ mayAct })
  const { context, json } = await readContext(provider, request)
  trail.add({ context })

  const account = await userOf(provider, ctx, userId)
  const question = { ctx, client, account, context }
  const { scope, permit, review } = await permissionToIssue(provider, request, question)

  const status = await instance(provider).statusLists?.draw()
  const { accessTokenTtl } = more
  const binding: Binding = { mayAct, resource, scope, accessTokenTtl }
  const subjectToken = instance(provider).subjectTokens.create({
    accountId: userId,
    clientId: client.clientId,
    context: json,
    binding: JSON.stringify(binding),
    // Without undefined members, because each is copied twice on its way to the storage.
    ...present({
      actor: actor?.sub,
      permit,
      review,
      statusList: status?.list,
      statusIndex: status?.index,
    }),
  })
  shorten(subjectToken, request.expiresIn)
  ctx.oidc.entity('SubjectToken', subjectToken)
  const value = await subjectToken.save()
  const { jti: id, exp: expiresAt, expiration: expiresIn } = subjectToken
  trail.add({ id, scope, permit, review, expiresAt })
  return { id, value, expiresIn }
}

/** Limits `expiresIn` to the configured lifetime, which may be the result of a function. */
function shorten(
  subjectToken: { readonly expiration: number; expiresIn: number },
  expiresIn: number | undefined,
): void {
  const longest = subjectToken.expiration
  if (expiresIn === undefined) return
  if (expiresIn > longest) {
    throw new errors.InvalidRequest(`expiresIn must be at most ${longest} seconds`)
  }
  subjectToken.expiresIn = expiresIn
}
