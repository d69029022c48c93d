import type { Client, Provider, TokenEndpointGrantContext } from 'oidc-provider'
import type { AccessTokenVerifier } from '../access-token.ts'
import { actClaim } from '../actor-chain.ts'
import type { AuditTrail } from '../audit.ts'
import { narrowScope } from '../binding.ts'
import type { AccessTokenClaims } from '../claims.ts'
import { ACCESS_TOKEN_TYPE } from '../constants.ts'
import {
  buildTokenResponse,
  certificateThumbprint,
  checkDpopReplay,
  checkDpopRequired,
  checkMtlsCert,
  prepareToSave,
  validateDpop,
} from '../oidc-provider-internals.ts'
import type { ResolvedOptions } from '../options-defaults.ts'
import { permissionFor } from '../policy.ts'
import type { SubjectTokenModel } from '../subject-token.ts'
import { actorFinder } from './actor.ts'
import { draftAccessToken } from './draft.ts'
import { parseExchangeRequest } from './request.ts'
import { findSubject, lostClaim, requireMayAct, requireResource } from './subject.ts'
import { resolveTarget } from './target.ts'

/** What an exchange takes. */
export interface ExchangeParts {
  readonly options: ResolvedOptions
  readonly subjectTokens: SubjectTokenModel
  readonly verifier: AccessTokenVerifier
  readonly claims: AccessTokenClaims
  /** Whether a client may use the management API at all. */
  readonly mayCall: (client: Client) => boolean
}

/**
 * An exchange, from the request to the response. I2: it checks everything, redeems the subject
 * token, and then issues; nothing after the redemption decides. The one trace that it may leave
 * before is that a DPoP proof was used.
 */
export function exchanger(
  provider: Provider,
  parts: ExchangeParts,
): (ctx: TokenEndpointGrantContext, trail: AuditTrail) => Promise<void> {
  const { options, claims, subjectTokens } = parts
  const findActor = actorFinder(provider, parts.verifier, options.actorToken)

  return async function exchange(ctx, trail) {
    const { client } = ctx.oidc
    const dPoP = await validateDpop(provider, ctx)
    const certificate = checkMtlsCert(provider, ctx)
    checkDpopRequired(provider, ctx, dPoP)
    const request = parseExchangeRequest(ctx.oidc.params, {
      actorTokenRequired: options.actorToken.required,
    })
    trail.conceal(request.subjectToken)
    trail.conceal(request.actorToken)

    const subject = await findSubject(provider, ctx, request.subjectToken, parts, trail)
    const { account, binding, token } = subject
    const actor =
      request.actorToken === undefined
        ? undefined
        : await findActor(ctx, request.actorToken, {
            jkt: dPoP?.thumbprint,
            x5t: certificate && certificateThumbprint(certificate),
          })
    if (actor) trail.note({ actor: actClaim(actor) })
    requireMayAct(binding, client, actor)

    const { resourceServer, scope: asked } = await resolveTarget(provider, ctx, request)
    const resource = resourceServer.identifier()
    trail.note({ resource })
    requireResource(binding, resource)
    const { scope, accessTokenTtl } = await permissionFor(options.authorize, {
      stage: 'exchange',
      client,
      account,
      actor,
      mayAct: binding.mayAct,
      resource,
      scope: narrowScope(asked, binding.scope),
      get context() {
        return token.contextObject
      },
      ctx,
    })

    const { maxTtl } = options.accessToken
    const target = { resourceServer, scope }
    const jti = token.accessTokenId
    const accessToken = draftAccessToken(provider, ctx, account, target, {
      maxTtl,
      accessTokenTtl,
      jti,
    })
    if (certificate) accessToken.setThumbprint('x5t', certificate)
    if (dPoP) accessToken.setThumbprint('jkt', dPoP.thumbprint)
    claims.impersonate(accessToken, { actor, client, subjectToken: token })
    ctx.oidc.entity('AccessToken', accessToken)
    const opaque = accessToken.format !== 'jwt'
    if (opaque) trail.conceal(accessToken.jti)
    const expiresAt = Math.floor(Date.now() / 1000) + accessToken.expiration
    const save = await prepareToSave(accessToken)
    await checkDpopReplay(provider, ctx, dPoP, client.clientId)

    if (!(await token.redeem())) throw await lostClaim(subjectTokens, request.subjectToken)

    ctx.body = buildTokenResponse(provider, {
      accessToken: await save(),
      expiresIn: accessToken.expiration,
      issuedTokenType: ACCESS_TOKEN_TYPE,
      scope,
      tokenType: accessToken.tokenType,
    })
    trail.note({ scope, expiresAt, jti: opaque ? undefined : jti })
  }
}
