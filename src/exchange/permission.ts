import { errors, type TokenEndpointGrantContext } from 'oidc-provider'
import { type Permission, permissionFor } from '../policy/authorize.ts'
import type { Authorize } from '../public/policy-hook.ts'
import { narrowScope } from '../shared/text.ts'
import type { Redeemer, Subject } from './subject.ts'
import type { Target } from './target.ts'

/**
 * The part of the request that the binding and the policy allow.
 *
 * @throws errors.InvalidRequest where the token is bound to other resources
 * @throws errors.InvalidScope where nothing is left of the scope that was asked for
 * @throws errors.AccessDenied where the deployment's rule refuses
 */
export async function permissionToExchange(
  ctx: TokenEndpointGrantContext,
  authorize: Authorize | undefined,
  { client, actor, software }: Redeemer,
  { account, binding, token }: Subject,
  { resourceServer, scope: allowed }: Target,
): Promise<Permission> {
  const resource = resourceServer.identifier()
  if (binding.resource && !binding.resource.includes(resource)) {
    // Operator and client match the binding, so the holder may learn what is wrong.
    throw new errors.InvalidRequest('resource is not one that the subject token was issued for')
  }
  const asked = narrowScope(allowed, binding.scope)
  requireScopeLeft(ctx, asked)
  const permission = await permissionFor(authorize, {
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
