import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider'
import type { AuditTrail } from '../audit/trail.ts'
import { findAccount } from '../host/grants.ts'
import type { Impersonations } from '../lifecycle/impersonations.ts'
import { permissionFor } from '../policy/authorize.ts'
import { validContext } from '../policy/context-schema.ts'
import { limit } from '../policy/rate-limit.ts'
import { deepFreeze } from '../shared/json.ts'
import type { StatusIndex } from '../tokens/status-indices.ts'
import type { SubjectTokenModel } from '../tokens/subject-token.ts'
import { UserNotFound } from './answer-errors.ts'
import { authenticate, type BearerParts } from './bearer.ts'
import { parseIssueRequest, serialisedContext } from './body.ts'
import { jsonReader } from './json-body.ts'
import type { Right } from './machine-tokens.ts'
import { siblingUrls } from './public-url.ts'

/** What issuing takes. */
export interface IssueParts extends BearerParts {
  readonly subjectTokens: SubjectTokenModel
  /** The right to issue. */
  readonly right: Right
  /** Whether there is anything that the answer's `Location` could name. */
  readonly impersonations: Impersonations | undefined
  /** A place in a status list for the access token to come; `undefined` where there are no lists. */
  readonly drawStatusIndex: (() => Promise<StatusIndex>) | undefined
}

/** The handler of `POST …/subject-tokens`: authenticates, parses, decides, stores. */
export function subjectTokenIssuer(
  provider: Provider,
  parts: IssueParts,
): (ctx: KoaContextWithOIDC, trail: AuditTrail) => Promise<void> {
  const { options, subjectTokens, right, impersonations, drawStatusIndex } = parts
  const readBody = jsonReader(options.limits.bodyBytes)
  const siblingUrl = siblingUrls()

  return async (ctx, trail) => {
    const client = await authenticate(provider, ctx, parts, right, trail)
    ctx.oidc.entity('Client', client)
    await limit(options.limits.issue, ctx, client.clientId, 1)

    const request = parseIssueRequest(await readBody(ctx), options)
    const { mayAct, resource } = request.binding
    const actor = mayAct?.sub === undefined ? undefined : Object.freeze({ sub: mayAct.sub })
    trail.note({ subject: request.userId, resource, actor })
    if (mayAct) trail.note({ mayAct })
    const context = deepFreeze(await validContext(options.contextSchema, request.context))
    const json = serialisedContext(context, options.limits.contextBytes)
    trail.note({ context })

    const account = await findAccount(provider, ctx, request.userId)
    // An account with another id is another user, whatever the reason why `findAccount` returned
    // it.
    if (account?.accountId !== request.userId) throw new UserNotFound()
    ctx.oidc.entity('Account', account)
    const { scope } = await permissionFor(options.authorize, {
      stage: 'issue',
      client,
      account,
      actor,
      mayAct,
      resource,
      scope: request.binding.scope,
      context,
      ctx,
    })

    const place = await drawStatusIndex?.()
    const binding = { ...request.binding, ...(scope === undefined ? {} : { scope }) }
    const subjectToken = subjectTokens.create({
      accountId: request.userId,
      clientId: client.clientId,
      context: json,
      binding: JSON.stringify(binding),
      // No members that are undefined: each is copied twice on its way to the storage.
      ...(mayAct?.sub === undefined ? {} : { actor: mayAct.sub }),
      ...(place ? { statusList: place.list, statusIndex: place.index } : {}),
    })
    shorten(subjectToken, request.expiresIn)
    ctx.oidc.entity('SubjectToken', subjectToken)
    const value = await subjectToken.save()
    ctx.status = 201
    if (impersonations) ctx.set('Location', siblingUrl(ctx, `impersonations/${subjectToken.jti}`))
    ctx.body = { subjectToken: value, expiresIn: subjectToken.expiration }
    trail.note({
      id: subjectToken.jti,
      scope,
      expiresAt: Math.floor(Date.now() / 1000) + subjectToken.expiration,
    })
  }
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
