import type { Provider, TokenEndpointGrantContext } from 'oidc-provider'
import type { AccessTokenClaims } from '../claims/access-token-claims.ts'
import type { AuditTrail } from '../events/trail.ts'
import { buildTokenResponse, findAccount } from '../host/grants.ts'
import { prepareToSave } from '../host/models.ts'
import type { ResolvedOptions } from '../options/defaults.ts'
import type { MayClient } from '../policy/clients.ts'
import { actClaim } from '../shared/act.ts'
import { ACCESS_TOKEN_TYPE } from '../shared/constants.ts'
import type { AccessTokenVerifier } from '../tokens/access-token.ts'
import type { Redeemed, SubjectTokenModel } from '../tokens/subject-token.ts'
import { actorFinder, type HasEnded, requireRecentLook, requireThroughLives } from './actor.ts'
import { validateActorWithAudit } from './audited-actor.ts'
import { draftAccessToken } from './draft.ts'
import { permissionToExchange } from './permission.ts'
import { parseExchangeRequest } from './request.ts'
import { senderConstraint } from './sender-constraint.ts'
import { softwareFinder } from './software.ts'
import { findSubject, redeem, requireNotExpired } from './subject.ts'
import { resolveTarget } from './target.ts'
import { requireUnchanged } from './unchanged.ts'

/** What an exchange takes. */
export interface ExchangeParts {
  readonly options: ResolvedOptions
  readonly subjectTokens: SubjectTokenModel
  readonly verifier: AccessTokenVerifier
  readonly claims: AccessTokenClaims
  /** Whether a client may issue subject tokens. */
  readonly mayIssueSubjectTokens: MayClient
  readonly hasEnded: HasEnded
  readonly markChain: (id: string) => Promise<void>
  /** Called for a subject token that was redeemed for nothing, by its id; must return at once. */
  readonly onNothingIssued: (id: string) => void
}

/**
 * An exchange, from the request to the response. I2: it checks everything and prepares the access
 * token, then redeems the subject token, then stores and returns the access token. The only checks
 * after the redemption are for an end that came during it. Before it, the exchange stores only that a
 * DPoP proof was used, and that something may run through the impersonation of the actor token.
 */
export function exchanger(
  provider: Provider,
  parts: ExchangeParts,
): (ctx: TokenEndpointGrantContext, trail: AuditTrail) => Promise<void> {
  const { options, claims, subjectTokens } = parts
  const findActor = actorFinder(provider, parts.verifier, options.actorToken, parts.hasEnded)
  const findSoftware = softwareFinder(options.actorToken.clients)

  return async function exchange(ctx, trail) {
    const { client } = ctx.oidc
    // As it is now: the deployment's code gets the client, and may write to it.
    const { clientId } = client
    let lookedAt = performance.now()
    const constraint = await senderConstraint(provider, ctx)
    const request = parseExchangeRequest(ctx.oidc.params)
    trail.conceal(request.subjectToken, request.actorToken)
    const software = await findSoftware(client, (id) => findAccount(provider, ctx, id))
    if (software !== undefined) trail.note({ software })

    // I6: the actor token first, so that its error is the same in every state of the subject token.
    const validateActor = () => findActor(ctx, request.actorToken, constraint.proven)
    const { subjectToken } = request
    const found = await validateActorWithAudit(validateActor, subjectTokens, subjectToken, trail)
    const actor = found?.actor
    const redeemer = { client, actor, software }
    const subject = await findSubject(provider, ctx, request.subjectToken, redeemer, parts, trail)
    const { token } = subject
    const target = await resolveTarget(provider, ctx, request)
    trail.note({ resource: target.resourceServer.identifier() })
    const { authorize } = options
    const permission = await permissionToExchange(ctx, authorize, redeemer, subject, target)
    const decidedAt = performance.now()
    const { scope } = permission
    const { permit = token.permit, review = token.review } = permission

    const accessToken = draftAccessToken(provider, client, token, target.resourceServer, {
      ...permission,
      maxTtl: options.accessToken.maxTtl,
    })
    constraint.bind(accessToken)
    const marked = claims.markImpersonated(accessToken, {
      ...redeemer,
      subjectToken: token,
    })
    ctx.oidc.entity('AccessToken', accessToken)
    const jti = accessToken.format === 'jwt' ? accessToken.jti : undefined
    // The jti of an opaque token is the token itself: keep it out of events.
    if (jti === undefined) trail.conceal(accessToken.jti)
    // Hooks get the token and may write to it, so read here what the response will say.
    const { expiration: expiresIn, tokenType } = accessToken
    const expiresAt = Math.floor(Date.now() / 1000) + expiresIn
    // Signs now; `save` stores and emits later.
    const save = await prepareToSave(provider, accessToken, (record) => ({
      ...record,
      // As it was before any hook could reach it.
      extra: marked.extra,
    }))

    // Code of the deployment waited: look everything up again.
    const tookTime = permission.tookTime || marked.tookTime
    // A permit may be revoked meanwhile: what was decided by it is not asked again.
    if (tookTime) lookedAt = permission.permit === undefined ? performance.now() : decidedAt
    if (tookTime) await requireUnchanged(provider, ctx, clientId, token, validateActor, parts)
    await constraint.useProof()
    const note: Redeemed = {
      ...(actor ? { actor: actor.sub, act: actClaim(actor) } : {}),
      grant: found?.grant,
      through: found?.through,
      client: clientId,
      software,
      resource: target.resourceServer.identifier(),
      scope,
      permit,
      review,
      format: accessToken.format,
      expiresAt,
    }
    if (found?.through !== undefined) await parts.markChain(found.through)
    requireRecentLook(lookedAt)
    await redeem(token, note, subjectTokens, trail)
    try {
      requireNotExpired(token)
      requireRecentLook(lookedAt)
      if (found?.through !== undefined) await requireThroughLives(found.through, parts.hasEnded)
      ctx.body = buildTokenResponse(provider, {
        accessToken: await save(),
        expiresIn,
        issuedTokenType: ACCESS_TOKEN_TYPE,
        scope,
        tokenType,
      })
    } catch (error) {
      parts.onNothingIssued(token.jti)
      throw error
    }
    trail.note({ scope, expiresAt, jti, permit, review })
  }
}
