import {
  errors,
  type Provider,
  type ResourceServerInstance,
  type TokenEndpointGrantContext,
} from 'oidc-provider'
import { resolveRequestedResources } from '../host/grants.ts'
import { optionsOf } from '../options/defaults.ts'
import { type Permission, permissionFor } from '../policy/authorize.ts'
import { joinScopes, narrowScope } from '../shared/text.ts'
import type { ExchangeRequest } from './request.ts'
import type { Redeemer, Subject } from './subject.ts'

/** The resource server that the access token is for, and its scopes. */
export interface Target {
  readonly resourceServer: ResourceServerInstance
  /** What was asked for, narrowed to what the resource server and the client allow. */
  readonly scope: string | undefined
}

/**
 * Finds the one resource server that the token is for, and the scopes that are left.
 *
 * @throws errors.InvalidTarget where there is none, or more than one.
 */
export async function resolveTarget(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  { audience }: ExchangeRequest,
): Promise<Target> {
  const [resourceServer, ...others] = await resolveRequestedResources(provider, ctx)
  if (!resourceServer) throw new errors.InvalidTarget('resource is required')
  if (others.length > 0) throw new errors.InvalidTarget('only a single resource is supported')

  // RFC 8693 §2.1: audience is "the logical name of the target service". `audience` may only repeat
  // the value of `resource`.
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
 * @throws errors.InvalidRequest where the token is bound to other resources
 * @throws errors.InvalidScope where nothing is left of the scope that was asked for
 * @throws errors.AccessDenied where the deployment's rule refuses
 */
export async function permissionToExchange(
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  { client, actor, software, account, binding, token }: Redeemer & Subject,
  { resourceServer, scope: allowed }: Target,
): Promise<Permission> {
  const resource = resourceServer.identifier()
  if (binding.resource && !binding.resource.includes(resource)) {
    // Operator and client match the binding, so the holder may learn what is wrong.
    throw new errors.InvalidRequest('resource is not one that the subject token was issued for')
  }
  const asked = narrowScope(allowed, binding.scope)
  requireScopeLeft(ctx, asked)
  const permission = await permissionFor(optionsOf.of(provider).authorize, {
    stage: 'exchange',
    client,
    account,
    actor,
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
 * Refuses a request of whose scope nothing is left. RFC 6749 §3.3: a server that grants another
 * scope than was asked for answers with `scope`, which has no empty value.
 */
function requireScopeLeft(ctx: TokenEndpointGrantContext, left: string | undefined): void {
  const { scope: asked } = ctx.oidc.params
  if (left !== undefined || typeof asked !== 'string') return
  throw new errors.InvalidScope('none of the requested scopes can be granted', asked)
}
