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
import { epochSeconds } from '../shared/time.ts'
import type { Redemption, SubjectToken } from '../tokens/subject-token.ts'
import type { Found } from './subject.ts'

/**
 * Prepares the issue: finds the resource, asks for the permission, makes an access token of the
 * user, and signs it if it is a JWT. It is not stored.
 *
 * The deployment's functions get the token and may write to it. The promised members are set after
 * each of them, and are read from nowhere else.
 *
 * @returns the redemption to store, the parts of the response, and a function that stores the
 * token, emits its event, and resolves its value. An opaque token has no `jti`, because its `jti`
 * is its value.
 */
export async function prepare(provider: Provider, ctx: TokenEndpointGrantContext, found: Found) {
  const { client, clientId, operator, software, token: subjectToken } = found
  const resourceServer = await resolveTarget(provider, ctx, found)
  const resource = resourceServer.identifier()
  trailOf(ctx).add({ resource })
  const permission = await permissionToExchange(provider, ctx, found, resourceServer)
  const { scope, permit = subjectToken.permit, review = subjectToken.review } = permission

  // The account that was checked, because `authorize` may have changed its own argument.
  const { accountId } = subjectToken
  const gty = TOKEN_EXCHANGE_GRANT_TYPE
  const settled = { accountId, client, gty, resourceServer, scope }
  const token = createAccessToken(provider, settled)
  const iat = epochSeconds()
  const expiresIn = lifeOf(provider, token, subjectToken, resourceServer, permission)
  const exp = iat + expiresIn
  // The provider's own grants make an opaque token if no format is set. This grant promises a JWT,
  // which names the actor by itself.
  const format = resourceServer.accessTokenFormat ?? 'jwt'
  // The id of an opaque token is its value, drawn at random, so it stays out of events.
  const isJwt = format === 'jwt'
  const id = isJwt ? subjectToken.accessTokenId : token.generateTokenId()
  if (!isJwt) trailOf(ctx).conceal(id)
  const jti = isJwt ? id : undefined
  Object.assign(token, settled, { expiresIn, format, jti: id, iat, exp })
  // RFC 9449 §6, RFC 8705 §3.
  if (found.certificate) token.setThumbprint('x5t', found.certificate)
  if (found.dPoP) token.setThumbprint('jkt', found.dPoP.thumbprint)
  const { tokenType } = token
  markImpersonated(token, { operator, client, software, subjectToken, jti, exp })
  ctx.oidc.entity('AccessToken', token)

  const save = await prepareToSave(provider, token, { accountId, clientId, gty, jti: id, iat, exp })
  const redemption: Redemption = {
    actor: operator?.actor.sub,
    grant: operator?.grant,
    client: clientId,
    software,
    resource,
    scope,
    permit,
    review,
    format,
    expiresAt: exp,
  }
  return { redemption, jti, tokenType, expiresIn, save }
}

/**
 * Finds the one resource server of the token.
 *
 * @throws errors.InvalidTarget if there is none, or more than one
 */
async function resolveTarget(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  { audience }: Found,
): Promise<ResourceServerInstance> {
  const [resourceServer, ...others] = await resolveRequestedResources(provider, ctx)
  if (!resourceServer) throw new errors.InvalidTarget('resource is required')
  if (others.length > 0) throw new errors.InvalidTarget('only a single resource is supported')
  // RFC 8693 §2.1: audience is "the logical name of the target service". `audience` may only
  // repeat the value of `resource`.
  const names = [undefined, resourceServer.identifier(), resourceServer.audience]
  if (names.includes(audience)) return resourceServer
  throw new errors.InvalidTarget('audience names another target than resource')
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
  resourceServer: ResourceServerInstance,
): Promise<Permission> {
  const binding = token.bindingObject
  const resource = resourceServer.identifier()
  if (binding.resource && !binding.resource.includes(resource)) {
    // Operator and client match the binding, so the holder may learn the reason.
    throw new errors.InvalidRequest('resource is not one that the subject token was issued for')
  }
  const scope = scopeAt(ctx, resourceServer, binding.scope)
  requireScopeLeft(ctx, scope)
  const permission = await permissionFor(instance(provider).options.authorize, {
    stage: 'exchange',
    client,
    account,
    actor: operator?.actor,
    actorClient: operator?.actorClient,
    software,
    mayAct: binding.mayAct,
    resource,
    scope,
    context: token.contextObject,
    ctx,
  })
  requireScopeLeft(ctx, permission.scope)
  return permission
}

/**
 * The requested scope, narrowed to what the resource server, the client and the subject token
 * allow. RFC 6749 §3.3 has no empty scope.
 */
function scopeAt(
  { oidc: { client, requestParamScopes, requestParamOIDCScopes } }: TokenEndpointGrantContext,
  resourceServer: ResourceServerInstance,
  bound: string | undefined,
): string | undefined {
  const ofClient = client.scope?.split(' ')
  const ofToken = bound?.split(' ')
  const allowed = [...requestParamScopes].filter(
    (scope) =>
      resourceServer.scopes.has(scope) &&
      // As in the provider's own grants, a client's `scope` restricts the provider's own scopes.
      (!ofClient || !requestParamOIDCScopes.has(scope) || ofClient.includes(scope)) &&
      (!ofToken || ofToken.includes(scope)),
  )
  return allowed.join(' ') || undefined
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
