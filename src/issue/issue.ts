import { type Account, errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import type { AuditTrail } from '../events/trail.ts'
import { findAccount } from '../host/grants.ts'
import { optionsOf } from '../options/defaults.ts'
import { type Permission, permissionFor } from '../policy/authorize.ts'
import { validContext } from '../policy/context-schema.ts'
import { limit } from '../policy/limits.ts'
import type { AuthorizationRequest, SubjectTokenContext } from '../public/hooks.ts'
import { UserNotFound } from '../shared/errors.ts'
import { deepFreeze, present } from '../shared/json.ts'
import { statusIndicesOf } from '../status-list/allocate.ts'
import { subjectTokensOf } from '../tokens/subject-token.ts'
import { type IssueRequest, parseIssueRequest, serialisedContext } from './request.ts'

/** A subject token that is stored. */
export interface Issued {
  readonly id: string
  readonly value: string
  /** Seconds. */
  readonly expiresIn: number
}

/** The context as the deployment's schema has it, and as it is stored. */
export async function readContext(
  provider: Provider,
  { context: given }: IssueRequest,
): Promise<{ readonly context: SubjectTokenContext; readonly json: string }> {
  const { contextSchema, limits } = optionsOf.of(provider)
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
  // An account with another id is another user, whatever the reason why `findAccount` returned
  // it.
  if (account?.accountId !== userId) throw new UserNotFound()
  ctx.oidc.entity('Account', account)
  return account
}

/** Asks the deployment's rule at issue. */
export async function permissionToIssue(
  provider: Provider,
  { actor, binding }: IssueRequest,
  question: Pick<AuthorizationRequest, 'account' | 'client' | 'context' | 'ctx' | 'isPreview'>,
): Promise<Permission> {
  const { mayAct, resource, scope } = binding
  return permissionFor(optionsOf.of(provider).authorize, {
    stage: 'issue',
    ...question,
    actor,
    mayAct,
    resource,
    scope,
  })
}

/**
 * The decision behind both doors: counts, validates, asks the deployment's rule, stores.
 *
 * @param ctx whose client may issue
 * @param read answers what is asked for, as JSON has it; called once the client is counted
 */
export async function issue(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  trail: AuditTrail,
  read: () => unknown,
): Promise<Issued> {
  const { client } = ctx.oidc
  if (!client) throw new Error('no client asks')
  const options = optionsOf.of(provider)
  await limit(options.rateLimits.issue, client.clientId, 1)

  const request = parseIssueRequest(await read(), options)
  const { actor } = request
  const { mayAct, resource } = request.binding
  trail.add({ subject: request.userId, resource, actor })
  if (mayAct) trail.add({ mayAct })
  if (actor) await limit(options.rateLimits.issuePerActor, actor.sub, 1)
  const { context, json } = await readContext(provider, request)
  trail.add({ context })

  const account = await userOf(provider, ctx, request.userId)
  const question = { ctx, client, account, context }
  const { scope, permit, review } = await permissionToIssue(provider, request, question)

  const status = await statusIndicesOf.find(provider)?.draw()
  const binding = { ...request.binding, ...(scope === undefined ? {} : { scope }) }
  const subjectToken = subjectTokensOf.of(provider).create({
    accountId: request.userId,
    clientId: client.clientId,
    context: json,
    binding: JSON.stringify(binding),
    // No members that are undefined: each is copied twice on its way to the storage.
    ...(mayAct?.sub === undefined ? {} : { actor: mayAct.sub }),
    ...present({ permit, review }),
    ...(status ? { statusList: status.list, statusIndex: status.index } : {}),
  })
  shorten(subjectToken, request.expiresIn)
  ctx.oidc.entity('SubjectToken', subjectToken)
  const value = await subjectToken.save()
  trail.add({
    id: subjectToken.jti,
    scope,
    permit,
    review,
    expiresAt: subjectToken.exp,
  })
  return { id: subjectToken.jti, value, expiresIn: subjectToken.expiration }
}

/** `expiresIn` is "at most the configured lifetime", which may be a function's answer. */
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
