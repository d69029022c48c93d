// oidc-provider's helpers for custom grants, the one part of lib/ that it offers, outside semver.
import {
  type Account,
  errors,
  type KoaContextWithOIDC,
  type Provider,
  type TokenEndpointGrantContext,
} from 'oidc-provider'
import * as grants from './needs-oidc-provider-9.12.2-or-later.ts'

export {
  buildTokenResponse,
  checkDpopReplay,
  checkDpopRequired,
  checkMtlsCert,
  resolveRequestedResources,
  validateDpop,
} from './needs-oidc-provider-9.12.2-or-later.ts'

/** Calls the deployment's `findAccount`, and checks its result as the provider does. */
export function findAccount(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  accountId: string,
): Promise<Account | undefined> {
  // Declared for the token endpoint, and needs no more of the context than any route has.
  return grants.findAccount(provider, ctx as TokenEndpointGrantContext, accountId)
}

/** Validates a DPoP proof for an access token, at a route that is not the provider's own. */
export function validateDpopAt(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  accessToken: string,
): Promise<grants.DPoPValidationResult | undefined> {
  return grants.validateDpop(provider, ctx as TokenEndpointGrantContext, accessToken)
}

/** Refuses a DPoP proof that was used before. */
export function checkDpopReplayAt(
  provider: Provider,
  ctx: KoaContextWithOIDC,
  dPoP: grants.DPoPValidationResult | undefined,
  clientId: string,
): Promise<void> {
  const grantContext = ctx as TokenEndpointGrantContext
  return grants.checkDpopReplay(provider, grantContext, dPoP, clientId, errors.InvalidToken)
}
