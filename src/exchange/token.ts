import {
  errors,
  type Provider,
  type ResourceServerInstance,
  type TokenEndpointGrantContext,
} from 'oidc-provider'
import { markImpersonated } from '../claims/claims.ts'
import { trailOf } from '../events/trail.ts'
import { resolveRequestedResources } from '../host/grants.ts'
import { createAccessToken, type DraftAccessToken, prepareToSave } from '../host/models.ts'
import { instance } from '../host/weak-cache.ts'
import { type Permission, permissionFor } from '../policy/authorize.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from '../shared/constants.ts'
import { joinScopes, narrowScope } from '../shared/text.ts'
import { epochSeconds } from '../shared/time.ts'
import type { Redemption, SubjectToken } from '../tokens/subject-token.ts'
import type { Found } from './subject.ts'

/** The access token to issue, if the subject token is redeemed. */
interface Decided extends PreparedToken {
  /** The redemption to store. */
  readonly redemption: Redemption
}

/**
 * Prepares the issue: the resource, the part of the request that is granted, and the token itself.
 */
export async function decide(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  found: Found,
): Promise<Decided> {
  const { token, operator, software, clientId } = found
  const target = await resolveTarget(provider, ctx, found)
  const { resourceServer } = target
  const resource = resourceServer.identifier()
  trailOf(ctx).add({ resource })
  const permission = await permissionToExchange(provider, ctx, found, target)
  const { scope, permit = token.permit, review = token.review } = permission
  const prepared = await prepareAccessToken(provider, ctx, found, resourceServer, permission)
  const redemption = {
    actor: operator?.actor.sub,
    act: operator?.actor,
    grant: operator?.grant,
    client: clientId,
    software,
    resource,
    scope,
    permit,
    review,
    format: prepared.format,
    expiresAt: prepared.expiresAt,
  }
  return { ...prepared, redemption }
}

/** The resource server that the access token is for, and its scopes. */
interface Target {
  readonly resourceServer: ResourceServerInstance
  /** The requested scope, narrowed to what the resource server and the client allow. */
  readonly scope: string | undefined
}

/**
 * Finds the one resource server of the token, and the scopes that are left.
 *
 * @throws errors.InvalidTarget if there is none, or more than one
 */
async function resolveTarget(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  { audience }: Found,
): Promise<Target> {
  const [resourceServer, ...others] = await resolveRequestedResources(provider, ctx)
  if (!resourceServer) throw new errors.InvalidTarget('resource is required')
  if (others.length > 0) throw new errors.InvalidTarget('only a single resource is supported')

  // RFC 8693 §2.1: audience is "the logical name of the target service". `audience` may only
  // repeat the value of `resource`.
  if (
    audience !== undefined &&
    audience !== resourceServer.identifier() &&
    audience !== resourceServer.audience
  ) {
    throw new errors.InvalidTarget('audience names another target than resource')
  }

  return Object.freeze({ resourceServer, scope: scopeAt(ctx, resourceServer) })
}

function scopeAt(
  ctx: TokenEndpointGrantContext,
  resourceServer: ResourceServerInstance,
): string | undefined {
  const { client } = ctx.oidc
  const asked = [...ctx.oidc.requestParamScopes].filter((scope) => resourceServer.scopes.has(scope))
  // As in the provider's own grants, a client's `scope` restricts the provider's own scopes.
  if (client.scope === undefined) return joinScopes(asked)
  const allowed = new Set(client.scope.split(' '))
  const ofProvider = ctx.oidc.requestParamOIDCScopes
  return joinScopes(asked.filter((scope) => !ofProvider.has(scope) || allowed.has(scope)))
}

/**
 * The part of the request that the binding and the policy allow.
 *
 * @throws errors.InvalidRequest if the token is bound to other resources
 * @throws errors.InvalidScope if nothing is left of the requested scope
 * @throws errors.AccessDenied if the deployment's rule refuses
 */
async function permissionToExchange(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  { client, operator, software, account, token }: Found,
  { resourceServer, scope: allowed }: Target,
): Promise<Permission> {
  const binding = token.bindingObject
  const resource = resourceServer.identifier()
  if (binding.resource && !binding.resource.includes(resource)) {
    // Operator and client match the binding, so the holder may learn the reason.
    throw new errors.InvalidRequest('resource is not one that the subject token was issued for')
  }
  const asked = narrowScope(allowed, binding.scope)
  requireScopeLeft(ctx, asked)
  const permission = await permissionFor(instance(provider).options.authorize, {
    stage: 'exchange',
    client,
    account,
    actor: operator?.actor,
    actorClient: operator?.actorClient,
    software,
    mayAct: binding.mayAct,
    resource,
    scope: asked,
    context: token.contextObject,
    ctx,
  })
  requireScopeLeft(ctx, permission.scope)
  return permission
}

/**
 * Refuses a request if nothing of its scope is left. RFC 6749 §3.3: a server that grants another
 * scope than requested includes `scope` in its response, and `scope` has no empty value.
 */
function requireScopeLeft(ctx: TokenEndpointGrantContext, left: string | undefined): void {
  const { scope: asked } = ctx.oidc.params
  if (left !== undefined || typeof asked !== 'string') return
  throw new errors.InvalidScope('none of the requested scopes can be granted', asked)
}

/** An access token that no client has yet. */
interface PreparedToken {
  readonly format: string
  /** `undefined` for an opaque token, whose `jti` is its value. */
  readonly jti: string | undefined
  readonly tokenType: string
  /** In seconds. */
  readonly expiresIn: number
  /** In seconds since the epoch. */
  readonly expiresAt: number
  /** Stores it, emits its event, and resolves its value. */
  readonly save: () => Promise<string>
}

/**
 * Makes an access token of the user for the resource server. Its claims are set, it is signed if
 * it is a JWT, and it is not stored.
 *
 * The deployment's functions get the token and may write to it. The promised members are set after
 * each of them, and are read from nowhere else.
 */
async function prepareAccessToken(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  { client, clientId, certificate, dPoP, operator, software, token: subjectToken }: Found,
  resourceServer: ResourceServerInstance,
  permission: Permission,
): Promise<PreparedToken> {
  const gty = TOKEN_EXCHANGE_GRANT_TYPE
  // The account that was checked, because `authorize` may have changed its own argument.
  const { accountId } = subjectToken
  const settled = { accountId, client, gty, resourceServer, scope: permission.scope }
  const token = createAccessToken(provider, settled)
  const iat = epochSeconds()
  const expiresIn = lifeOf(provider, token, subjectToken, resourceServer, permission)
  const exp = iat + expiresIn
  // The provider's own grants make an opaque token if no format is set. This grant promises a JWT,
  // which names the actor by itself.
  const format = resourceServer.accessTokenFormat ?? 'jwt'
  // The id of an opaque token is its value, drawn at random, so it stays out of events.
  const isJwt = format === 'jwt'
  const jti = isJwt ? subjectToken.accessTokenId : token.generateTokenId()
  if (!isJwt) trailOf(ctx).conceal(jti)
  Object.assign(token, settled, { expiresIn, format, jti, iat, exp })
  // RFC 9449 §6, RFC 8705 §3.
  if (certificate) token.setThumbprint('x5t', certificate)
  if (dPoP) token.setThumbprint('jkt', dPoP.thumbprint)
  const { tokenType } = token
  const shown = isJwt ? jti : undefined
  markImpersonated(token, { operator, client, software, subjectToken, jti: shown, exp })
  ctx.oidc.entity('AccessToken', token)
  const save = await prepareToSave(provider, token, { accountId, clientId, gty, jti, iat, exp })
  return { format, jti: shown, tokenType, expiresIn, expiresAt: exp, save }
}

/**
 * The shortest of all limits (short, I8): those of access tokens, of this resource and of this
 * grant, the policy's for this exchange, the issuer's of the subject token, and the lifetime of
 * the record that ends it.
 */
function lifeOf(
  provider: Provider,
  token: DraftAccessToken,
  { longestLife, bindingObject }: SubjectToken,
  { accessTokenTTL }: ResourceServerInstance,
  { accessTokenTtl }: Permission,
): number {
  const { maxTtl } = instance(provider).options.accessToken
  return Math.min(
    maxTtl,
    accessTokenTtl ?? maxTtl,
    bindingObject.accessTokenTtl ?? maxTtl,
    accessTokenTTL ?? maxTtl,
    token.expiration,
    // Over 0, because 0 means "not set" to the model.
    Math.max(longestLife, 1),
  )
}
