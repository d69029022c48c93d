import {
  type Account,
  type Client,
  errors,
  type Provider,
  type TokenEndpointGrantContext,
} from 'oidc-provider'
import type { AccessTokenVerifier } from '../access-token.ts'
import type { AccessTokenClaims } from '../claims.ts'
import { ACCESS_TOKEN_TYPE, TOKEN_EXCHANGE_GRANT_TYPE } from '../constants.ts'
import { AccessTokenRejected, IMPERSONATED_JTI_PREFIX } from '../jwt-access-token.ts'
import {
  buildTokenResponse,
  certificateThumbprint,
  checkDpopReplay,
  checkDpopRequired,
  checkMtlsCert,
  createAccessToken,
  type DraftAccessToken,
  findAccount,
  generateTokenId,
  prepareToSave,
  validateDpop,
} from '../oidc-provider-internals.ts'
import type { ResolvedOptions } from '../options.ts'
import type { SubjectToken, SubjectTokenModel } from '../subject-token.ts'
import { actorFinder } from './actor.ts'
import { parseExchangeRequest } from './request.ts'
import { resolveTarget, type Target } from './target.ts'

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
  { options, subjectTokens, verifier, claims, mayCall }: GrantParts,
): (ctx: TokenEndpointGrantContext) => Promise<void> {
  const findActor = actorFinder(provider, verifier, options.actorToken.scope)

  async function exchange(ctx: TokenEndpointGrantContext): Promise<void> {
    const dPoP = await validateDpop(provider, ctx)
    const certificate = checkMtlsCert(provider, ctx)
    checkDpopRequired(provider, ctx, dPoP)
    const request = parseExchangeRequest(ctx.oidc.params, {
      actorTokenRequired: options.actorToken.required,
    })

    const subjectToken = await subjectTokens.findRedeemable(request.subjectToken)
    if (!subjectToken) throw notRedeemable('unknown, expired or redeemed')
    ctx.oidc.entity('SubjectToken', subjectToken)
    await requireIssuer(verifier, subjectToken, mayCall)
    const account = await findAccount(provider, ctx, subjectToken.accountId)
    if (!account) throw notRedeemable('its account is gone')
    ctx.oidc.entity('Account', account)

    const actor =
      request.actorToken === undefined
        ? undefined
        : await findActor(ctx, request.actorToken, {
            jkt: dPoP?.thumbprint,
            x5t: certificate && certificateThumbprint(certificate),
          })
    const target = await resolveTarget(provider, ctx, request)

    const accessToken = draftAccessToken(provider, ctx, account, target, options.accessToken.maxTtl)
    if (certificate) accessToken.setThumbprint('x5t', certificate)
    if (dPoP) accessToken.setThumbprint('jkt', dPoP.thumbprint)
    claims.impersonate(accessToken, { actor, client: ctx.oidc.client, subjectToken })
    ctx.oidc.entity('AccessToken', accessToken)
    const save = await prepareToSave(accessToken)
    await checkDpopReplay(provider, ctx, dPoP, ctx.oidc.client.clientId)

    if (!(await subjectToken.redeem())) throw notRedeemable('redeemed by another request')

    ctx.body = buildTokenResponse(provider, {
      accessToken: await save(),
      expiresIn: accessToken.expiration,
      issuedTokenType: ACCESS_TOKEN_TYPE,
      scope: accessToken.scope,
      tokenType: accessToken.tokenType,
    })
  }

  return async function tokenExchange(ctx) {
    try {
      await exchange(ctx)
    } catch (error) {
      if (error instanceof errors.OIDCProviderError) throw error
      // I5: an error from below, whatever status it asks for and whatever it says, is a 500.
      throw new Error('token exchange failed', { cause: error })
    }
  }
}

/**
 * RFC 8693 §2.2.2: "If the request itself is not valid or if either the subject_token or
 * actor_token are invalid for any reason, or are unacceptable based on policy, the authorization
 * server MUST construct an error response [...] The value of the error parameter MUST be the
 * invalid_request error code." I6: the same words whatever the reason.
 */
function notRedeemable(reason: string, cause?: unknown): errors.InvalidRequest {
  return new errors.InvalidRequest('subject token is invalid', undefined, {
    cause: new Error(`subject token: ${reason}`, { cause }),
  })
}

/** I7: the client that asked for the subject token must still be one that may. */
async function requireIssuer(
  verifier: AccessTokenVerifier,
  subjectToken: SubjectToken,
  mayCall: (client: Client) => boolean,
): Promise<void> {
  try {
    const issuer = await verifier.liveClient(subjectToken.clientId)
    if (issuer.grantTypeAllowed('client_credentials') && mayCall(issuer)) return
  } catch (cause) {
    if (cause instanceof AccessTokenRejected) {
      throw notRedeemable('the client it was issued to is gone', cause)
    }
    throw cause
  }
  throw notRedeemable('the client it was issued to may not issue any more')
}

/** An access token of the user for the target: complete, but neither signed nor stored. */
function draftAccessToken(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  account: Account,
  { resourceServer, scope }: Target,
  maxTtl: number,
): DraftAccessToken {
  const accessToken = createAccessToken(provider, {
    accountId: account.accountId,
    client: ctx.oidc.client,
    gty: TOKEN_EXCHANGE_GRANT_TYPE,
    resourceServer,
    scope,
  })
  // I8: the shortest of what is said about access tokens, about this resource, and about this grant.
  const ttl = Math.min(maxTtl, resourceServer.accessTokenTTL ?? maxTtl, accessToken.expiration)
  accessToken.expiresIn = ttl
  const id = generateTokenId(accessToken)
  // The id of an opaque token is its value; there, the stored `gty` tells.
  accessToken.jti = accessToken.format === 'jwt' ? `${IMPERSONATED_JTI_PREFIX}${id}` : id
  return accessToken
}
