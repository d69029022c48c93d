import type { Provider } from 'oidc-provider'
import { type AccessTokenClaims, claimsOf } from './claims/claims.ts'
import { registerExchange } from './exchange/exchange.ts'
import { withholdFromSelfRegistered } from './host/patches.ts'
import { announceRoutes, issuerRoutes } from './http/routes.ts'
import { takeOverMarks } from './impersonations/marks.ts'
import { followRevocations, followSignOuts, judgeByEnds } from './impersonations/sign-out.ts'
import { optionsOf, type ResolvedOptions } from './options/defaults.ts'
import { requireMachineTokenKey } from './policy/management-api.ts'
import { TOKEN_EXCHANGE_GRANT_TYPE } from './shared/constants.ts'
import { assembleStatusLists } from './status-list/sign.ts'
import { accessTokenVerifier, verifierOf } from './tokens/access-token.ts'
import { defineSubjectToken, endingAdapterOf, subjectTokensOf } from './tokens/subject-token.ts'

/**
 * Wires impersonation into a provider. Everything of the provider is made here, once, in this
 * order.
 */
export function assemble(
  provider: Provider,
  resolved: ResolvedOptions,
  claims: AccessTokenClaims,
): void {
  const options = optionsOf.set(provider, resolved)
  claimsOf.set(provider, claims).use(provider)
  if (!options.allowSelfRegisteredClients) {
    withholdFromSelfRegistered(provider, TOKEN_EXCHANGE_GRANT_TYPE)
  }

  subjectTokensOf.set(provider, defineSubjectToken(provider))
  requireMachineTokenKey(provider)
  const findEvenEnded = judgeByEnds(provider)
  verifierOf.set(provider, accessTokenVerifier(provider, findEvenEnded))
  registerExchange(provider)

  // Without it, impersonations can be neither listed nor ended.
  if (!endingAdapterOf.find(provider)) return
  followRevocations(provider)
  takeOverMarks(provider)
  if (options.ending.endWithOperator) followSignOuts(provider)
  assembleStatusLists(provider)
  announceRoutes(provider)
  provider.use(issuerRoutes(provider))
}
