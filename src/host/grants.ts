// oidc-provider's helpers for custom grants, the one part of lib/ that it offers, outside semver.
import type { KoaContextWithOIDC, Provider, TokenEndpointGrantContext } from 'oidc-provider'
import * as grants from './needs-oidc-provider-9.12.2-or-later.ts'

export {
  buildTokenResponse,
  checkDpopRequired,
  checkMtlsCert,
  resolveRequestedResources,
} from './needs-oidc-provider-9.12.2-or-later.ts'

/** A helper that is declared for the token endpoint, and needs no more than any route has. */
type OfAnyRoute<Helper> = Helper extends (
  provider: Provider,
  ctx: TokenEndpointGrantContext,
  ...rest: infer Rest
) => infer Result
  ? (provider: Provider, ctx: KoaContextWithOIDC, ...rest: Rest) => Result
  : never

/** Calls the deployment's `findAccount`, and checks its result as the provider does. */
export const findAccount = grants.findAccount as OfAnyRoute<typeof grants.findAccount>

/** Validates a DPoP proof: at a route that is not the provider's own, for an access token. */
export const validateDpop = grants.validateDpop as OfAnyRoute<typeof grants.validateDpop>

/** Refuses a DPoP proof that was used before. */
export const checkDpopReplay = grants.checkDpopReplay as OfAnyRoute<typeof grants.checkDpopReplay>
