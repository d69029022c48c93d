import { type Client, errors, type Provider, type TokenEndpointGrantContext } from 'oidc-provider'
import type { AccessTokenVerifier } from '../access-token.ts'
import { actClaim } from '../actor-chain.ts'
import { AuditTrail, Replay } from '../audit.ts'
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
import { scopeAllowedBy } from '../policy.ts'
import { failureKey, limit } from '../rate-limit.ts'
import type { SubjectTokenModel } from '../subject-token.ts'
import { actorFinder } from './actor.ts'
import { draftAccessToken } from './draft.ts'
import { parseExchangeRequest } from './request.ts'
import { findSubject, notRedeemable, requireMayAct, requireResource } from './subject.ts'
import { resolveTarget } from './target.ts'

/** What the grant is made of. */
export interface GrantParts {
  readonly options: ResolvedOptions
  readonly subjectTokens: SubjectTokenModel
  readonly verifier: AccessTokenVerifier
  readonly claims: AccessTokenClaims
  /** Whether a client may use the management API at all. */
  readonly mayCall: (client: Client) => boolean
}

/**
 * The handler of the token-exchange grant. I2: it checks everything, redeems the subject token,
 * and then issues; nothing after the redemption decides. The one trace that it may leave before
 * is that a DPoP proof was used.
 */
export function tokenExchangeGrant(
  provider: Provider,
  parts: GrantParts,
): (ctx: TokenEndpointGrantContext) => Promise<void> {
  const { options, claims } = parts
  const findActor = actorFinder(provider, parts.verifier, options.actorToken)

  async function exchange(ctx: TokenEndpointGrantContext, trail: AuditTrail): Promise<void> {
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
    const scope = await scopeAllowedBy(options.authorize, {
      stage: 'exchange',
      client,
      account,
      actor,
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
    const accessToken = draftAccessToken(provider, ctx, account, target, { maxTtl, jti })
    if (certificate) accessToken.setThumbprint('x5t', certificate)
    if (dPoP) accessToken.setThumbprint('jkt', dPoP.thumbprint)
    claims.impersonate(accessToken, { actor, client, subjectToken: token })
    ctx.oidc.entity('AccessToken', accessToken)
    const save = await prepareToSave(accessToken)
    await checkDpopReplay(provider, ctx, dPoP, client.clientId)

    if (!(await token.redeem())) throw notRedeemable(new Replay({ jti }))

    ctx.body = buildTokenResponse(provider, {
      accessToken: await save(),
      expiresIn: accessToken.expiration,
      issuedTokenType: ACCESS_TOKEN_TYPE,
      scope,
      tokenType: accessToken.tokenType,
    })
    trail.note({
      scope,
      expiresAt: Math.floor(Date.now() / 1000) + accessToken.expiration,
      jti: accessToken.format === 'jwt' ? jti : undefined,
    })
  }

  return async function tokenExchange(ctx) {
    const trail = new AuditTrail(provider, ctx, 'exchange')
    const { client } = ctx.oidc
    const { failedExchanges } = options.limits
    const key = failedExchanges ? failureKey(client, ctx.ip) : ''
    trail.note({ client: client.clientId })
    try {
      await limit(failedExchanges, ctx, key, 0)
      await exchange(ctx, trail)
    } catch (thrown) {
      const error = await refusal(thrown, () => limit(failedExchanges, ctx, key, 1))
      trail.failed(error)
      throw error
    }
    trail.succeeded()
  }
}

/**
 * What to answer: the protocol error, or 429 instead of one too many of them. I5: an error from
 * below, whatever status it asks for and whatever it says, is a 500.
 */
async function refusal(thrown: unknown, countFailure: () => Promise<void>): Promise<Error> {
  if (!(thrown instanceof errors.OIDCProviderError)) {
    return new Error('token exchange failed', { cause: thrown })
  }
  if (thrown.status === 429) return thrown
  try {
    await countFailure()
    return thrown
  } catch (tooMany) {
    if (tooMany instanceof errors.OIDCProviderError) return tooMany
    return new Error('token exchange failed', { cause: tooMany })
  }
}
