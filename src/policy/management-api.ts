import {
  type Client,
  type Configuration,
  errors,
  type KoaContextWithOIDC,
  type Provider,
  type ResourceServer,
} from 'oidc-provider'
import { signingAlgorithm } from '../host/instance.ts'
import { instance } from '../host/weak-cache.ts'
import type { ResolvedOptions } from '../options/defaults.ts'
import { type Action, isPublic, mayClient, scopeFor } from './clients.ts'

/** @throws TypeError if machine-to-machine tokens are JWTs and no key can sign one */
export function requireMachineTokenKey(
  provider: Provider,
  { managementApi: { tokenFormat } }: ResolvedOptions,
): void {
  if (tokenFormat === 'opaque' || signingAlgorithm(provider)) return
  throw new TypeError(
    "no key in jwks can sign tokens for the management API; add one, or set features.impersonation.managementApi.tokenFormat to 'opaque'",
  )
}

/** oidc-provider's `features.resourceIndicators.getResourceServerInfo`. */
export type GetResourceServerInfo = (
  ctx: KoaContextWithOIDC,
  resourceIndicator: string,
  client: Client,
) => Promise<ResourceServer> | ResourceServer

/** The deployment's own `getResourceServerInfo`, with the management API added. */
export function withManagementApi(
  { resource, tokenTtl, tokenFormat }: ResolvedOptions['managementApi'],
  { features }: Configuration,
): GetResourceServerInfo {
  const own = features?.resourceIndicators?.getResourceServerInfo

  return async (ctx, asked, client) => {
    if (asked !== resource) {
      // As the provider's own default does.
      if (!own) throw new errors.InvalidTarget()
      const info = await own(ctx, asked, client)
      // Another resource must not pass as the management API.
      if (info?.audience === resource) throw new errors.InvalidTarget()
      return info
    }
    // Never a user's token: only a client's own, and only through client_credentials.
    const { provider, route, params } = ctx.oidc
    if (route !== 'token' || params?.grant_type !== 'client_credentials') {
      throw new errors.InvalidTarget()
    }
    const scopes = await machineScopes(provider, client, params.scope)
    if (scopes.length === 0) {
      // The client gets this message about itself. It does not reveal the result of a function.
      throw new errors.InvalidTarget(
        isPublic(client)
          ? 'a client that does not authenticate (token_endpoint_auth_method none) gets no token for the management API'
          : 'this client is not listed in managementApi.clients',
      )
    }
    const alg = tokenFormat === 'jwt' ? signingAlgorithm(provider) : undefined
    return {
      scope: scopes.join(' '),
      audience: resource,
      accessTokenTTL: tokenTtl,
      accessTokenFormat: tokenFormat,
      ...(alg ? { jwt: { sign: { alg } } } : {}),
    }
  }
}

/**
 * Finds the scopes of a client's rights. The requested scopes come first, and are enough, so that
 * a failing function of the deployment affects no client that requests something else.
 */
async function machineScopes(
  provider: Provider,
  client: Client,
  asked: unknown,
): Promise<readonly string[]> {
  const offered: readonly Action[] = instance(provider).ending
    ? ['issue', 'read', 'end']
    : ['issue']
  const names = String(asked ?? '').split(' ')
  for (const isAsked of [true, false]) {
    const scopes: string[] = []
    for (const action of offered) {
      const scope = scopeFor(provider, action)
      if (names.includes(scope) !== isAsked) continue
      if (await mayClient(provider, action, client)) scopes.push(scope)
    }
    if (scopes.length > 0) return scopes
  }
  return []
}
