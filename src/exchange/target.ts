import {
  errors,
  type Provider,
  type ResourceServerInstance,
  type TokenEndpointGrantContext,
} from 'oidc-provider'
import { resolveRequestedResources } from '../host/grants.ts'
import { joinScopes } from '../shared/text.ts'
import type { ExchangeRequest } from './request.ts'

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
  request: ExchangeRequest,
): Promise<Target> {
  const [resourceServer, ...others] = await resolveRequestedResources(provider, ctx)
  if (!resourceServer) throw new errors.InvalidTarget('resource is required')
  if (others.length > 0) throw new errors.InvalidTarget('only a single resource is supported')

  // RFC 8693 §2.1: audience is "the logical name of the target service". `audience` may only repeat
  // the value of `resource`.
  const { audience } = request
  if (
    audience !== undefined &&
    audience !== resourceServer.identifier() &&
    audience !== resourceServer.audience
  ) {
    throw new errors.InvalidTarget('audience names another target than resource')
  }

  return Object.freeze({ resourceServer, scope: narrow(ctx, resourceServer) })
}

function narrow(
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
